// Command simcloud is a cloud simulator and a test harness for Kubernetes
// cloud controller managers.
package main

import (
	"os"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
