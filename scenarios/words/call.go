package words

import "strings"

// Call names a call: as its client knows it, and in parentheses the operation of the cloud where the name does not tell it.
func Call(name, operation string) string {
	switch {
	case name == "":
		return operation
	case operation == unknown, name == operation, strings.HasSuffix(name, ":"+operation):
		return name
	default:
		return name + " (" + operation + ")"
	}
}

// unknown stands for the operation of the cloud where a call is for none.
const unknown = "Unknown"

// Shown is a resource as the journal names it, with the id that the client of the call knows it by where that is another one.
func Shown(resource, shownID string) string {
	if shownID == "" {
		return resource
	}
	return resource + " (" + shownID + ")"
}
