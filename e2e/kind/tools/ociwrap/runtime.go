package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// wrappersVariable lists the wrappers that were passed on the way to the
// runtime: two that find each other must not call each other for ever.
const wrappersVariable = "SIMCLOUD_OCIWRAP"

// usualFolders are searched after the PATH, which a daemon may not have.
const usualFolders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// findRuntime returns the path of the runtime, and the environment to start it with.
func findRuntime(env []string) (path string, newEnv []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	passed := append(filepath.SplitList(valueOf(env, wrappersVariable)), self)
	for _, dir := range filepath.SplitList(valueOf(env, "PATH") + ":" + usualFolders) {
		candidate := filepath.Join(dir, "runc")
		if filepath.IsAbs(candidate) && isRuntime(candidate, passed) {
			return candidate, withValue(env, wrappersVariable, strings.Join(passed, ":")), nil
		}
	}
	return "", nil, errors.New("there is no runc besides this wrapper on the PATH: install the package runc")
}

// isRuntime reports whether the file can be run and is none of the wrappers.
func isRuntime(path string, wrappers []string) bool {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return false
	}
	return !slices.ContainsFunc(wrappers, func(wrapper string) bool {
		other, err := os.Stat(wrapper)
		return err == nil && os.SameFile(info, other)
	})
}

func valueOf(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

func withValue(env []string, name, value string) []string {
	others := slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	return append(others, name+"="+value)
}
