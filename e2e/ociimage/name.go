package ociimage

import "strings"

// qualified is a name with its registry, as Kubernetes looks for it: one that
// names none is Docker's. Who imports an OCI layout takes its name as it is.
func qualified(name string) string {
	first, rest, more := strings.Cut(name, "/")
	switch {
	case !more:
		return "docker.io/library/" + name
	case first == "docker.io" && !strings.Contains(rest, "/"):
		return "docker.io/library/" + rest
	case strings.ContainsAny(first, ".:") || first == "localhost":
		return name
	}
	return "docker.io/" + name
}
