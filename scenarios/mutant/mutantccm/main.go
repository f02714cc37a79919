// Command mutantccm is a mutant: simcloud-ccm, but for one thing that is wrong in it. It proves scenarios, and is never installed.
//
//	mutantccm --list
//	simcloud test -l tier=museum --ccm "mutantccm --bug node-deleted-on-401 {flags}"
package main

import (
	"os"

	"github.com/simcloud-dev/simcloud/scenarios/mutant"
)

func main() { os.Exit(mutant.Run(os.Args[1:], os.Stdout, os.Stderr)) }
