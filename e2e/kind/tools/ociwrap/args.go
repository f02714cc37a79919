package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// document is a JSON file of the runtime's command line that describes a process.
type document struct {
	path string
	// whole tells that it is a container's specification, with the process in
	// its field "process"; otherwise the process is all of it.
	whole bool
}

// parseArgs returns the document that a runtime with these arguments will
// read; false when it reads none. The commands and flags are those of runc,
// which all runtimes that Docker and containerd can use have.
func parseArgs(args []string) (document, bool) {
	at := slices.IndexFunc(args, isCommand)
	if at < 0 {
		return document{}, false
	}
	flags := args[at+1:]
	if args[at] == "exec" {
		path, ok := flagValue(flags, "process", "p")
		return document{path: path}, ok
	}
	bundle, _ := flagValue(flags, "bundle", "b") // the working folder when it is not given
	return document{path: filepath.Join(bundle, "config.json"), whole: true}, true
}

// isCommand reports whether the word is a command that starts a process. None of
// runc's flags before the command has such a value in practice: they are paths and formats.
func isCommand(word string) bool {
	return slices.Contains([]string{"create", "run", "restore", "exec"}, word)
}

// flagValue finds a flag by its long or short name, with one dash or two, and
// its value behind "=" or in the next word. It stops at the first word after
// "--", and a flag that comes twice has its last value.
func flagValue(words []string, names ...string) (value string, found bool) {
	for i, word := range words {
		if word == "--" {
			break
		}
		flag, inline, hasInline := strings.Cut(word, "=")
		name, isFlag := flagName(flag)
		if !isFlag || !slices.Contains(names, name) {
			continue
		}
		switch {
		case hasInline:
			value, found = inline, true
		case i+1 < len(words):
			value, found = words[i+1], true
		}
	}
	return value, found
}

func flagName(word string) (string, bool) {
	name := strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-")
	return name, name != word && name != ""
}
