// Ociwrap stands before an OCI runtime such as runc on hosts that lack
// capabilities, as some virtual machines and CI sandboxes do. There a runtime
// fails on privileged containers, because it cannot give what it does not
// have ("unable to apply caps: operation not permitted"). Ociwrap takes from
// the specification of a container, or of a process in one, what the host
// lacks, and becomes the runtime. On hosts that lack nothing it only does the latter.
//
// The runtime is the first runc on the PATH, or else in the usual folders, that
// is not ociwrap itself.
package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	fmt.Fprintf(os.Stderr, "ociwrap: %v\n", run(os.Args, os.Environ()))
	os.Exit(1)
}

// run becomes the runtime; it returns only when it cannot.
func run(args, env []string) error {
	if err := prepare(args[1:], procFiles("/proc")); err != nil {
		return err
	}
	runtime, env, err := findRuntime(env)
	if err != nil {
		return err
	}
	err = syscall.Exec(runtime, append([]string{runtime}, args[1:]...), env)
	return fmt.Errorf("start %s: %w", runtime, err)
}

// prepare takes from the specification that args name, if they name one, what this host lacks.
func prepare(args []string, proc procFiles) error {
	document, ok := parseArgs(args)
	if !ok {
		return nil
	}
	host, err := proc.host()
	if err != nil || host.lacksNothing() {
		return err
	}
	return document.rewrite(host.restrict)
}
