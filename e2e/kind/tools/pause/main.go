// Command pause holds the namespaces of a pod: it waits to be told to end, and
// buries the processes of the pod that nobody else waits for. It is what
// registry.k8s.io/pause is, for places that have no registry.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(wait()) }

// wait returns the exit code when a signal ends the pod: 0, as a pod that is
// told to end has not failed.
func wait() int {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	dead := make(chan os.Signal, 1) // one that is not read yet stands for any number of them
	signal.Notify(dead, syscall.SIGCHLD)
	for {
		reap()
		select {
		case <-dead:
		case <-end:
			return 0
		}
	}
}

// reap takes the exit codes of all children that have ended.
func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR { //nolint:errorlint // a bare errno
			continue
		}
		if pid <= 0 {
			return
		}
	}
}
