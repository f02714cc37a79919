// Guest is what the containers of the tests run.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	switch os.Args[1] {
	case "wait": // until it is asked to end
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println("Reached target Multi-User System")
		<-asked
	case "write":
		try(os.WriteFile(os.Args[2], nil, 0o600))
	case "read":
		_, err := os.Stat(os.Args[2])
		try(err)
	case "cat":
		_, err := io.Copy(os.Stdout, os.Stdin)
		try(err)
	case "fail":
		fmt.Fprintln(os.Stderr, "it failed on purpose")
		code, err := strconv.Atoi(os.Args[2])
		try(err)
		os.Exit(code)
	case "privileges":
		status, err := os.ReadFile("/proc/self/status")
		try(err)
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "CapEff:") {
				fmt.Print(line)
			}
		}
		score, err := os.ReadFile("/proc/self/oom_score_adj")
		try(err)
		fmt.Printf("score: %s", score)
	}
}

func try(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
