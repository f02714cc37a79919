// Command mutantccm is a mutant: simcloud-ccm, but for one thing that is wrong in it. It proves scenarios, and is never installed.
//
//	mutantccm --list
//	mutantccm --simulate
//	mutantccm explore --seeds 4 --time 30s
//	simcloud test -l tier=museum --ccm "mutantccm --bug node-deleted-on-401 {flags}"
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/simcloud-dev/simcloud/scenarios/mutant"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "explore" {
		os.Exit(runExplore(os.Args[2:]))
	}
	os.Exit(mutant.Run(os.Args[1:], os.Stdout, os.Stderr))
}

// runExplore returns the exit code.
func runExplore(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := exploreMutants(ctx, args, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mutantccm explore:", err)
		return 1
	}
	return 0
}
