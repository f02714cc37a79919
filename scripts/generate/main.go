// Command generate writes the Go files that repeat simcloud.API once for each of
// its methods: the client's calls, what client.Around puts around a call, and the
// server's handlers. It reads the interfaces from their source, and the table of
// endpoints.
//
//	generate ROOT
//
// ROOT is the folder of the module. Run it with go generate after a change of the
// API; a test of this package fails when a file is not current. A method that fits
// no shape of this package, such as a stream, has no code here: it is written by
// hand beside the generated file, and the compiler finds one that is missing.
package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

//go:generate go run . ../..

// targets are the generated files, by their paths below the root.
var targets = map[string]func([]method) string{
	"simcloud/client/zz_generated.go": clientCalls,
	"simcloud/client/zz_around.go":    clientAround,
	"simcloud/server/zz_routes.go":    serverRoutes,
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate ROOT")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// write brings all files below root up to date.
func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for path, source := range files {
		if err := os.WriteFile(filepath.Join(root, path), source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns what the files must hold, by their paths below the root.
func generate(root string) (map[string][]byte, error) {
	methods, err := readMethods(filepath.Join(root, "simcloud"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for path, render := range targets {
		if files[path], err = format.Source([]byte(render(methods))); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return files, nil
}
