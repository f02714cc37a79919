package usage

import (
	"strings"

	"github.com/spf13/cobra"
)

// verbsElsewhere are verbs of kubectl, docker and kind, and what they are called here. A noun has the others under
// their own names.
var verbsElsewhere = map[string]string{"describe": "get", "ps": "list", "remove": "delete", "new": "create"}

// nounFirst returns the call that was meant by one in the order of kubectl: "get instances" is "instance list", and
// "ls" lists the sandboxes. It is empty for what is no such call. Under a noun the verb alone is another one.
func nounFirst(root *cobra.Command, args []string) string {
	if root.HasParent() {
		return callOf(root, args[0], verbsElsewhere[args[0]], args[1:])
	}
	verb := args[0]
	if len(args) == 1 {
		if args = []string{verb, "sandbox"}; verb != "ls" && verb != "ps" && verb != "list" {
			return ""
		}
	}
	name, id, _ := strings.Cut(args[1], "/")
	rest := args[2:]
	if id != "" {
		rest = append([]string{id}, rest...)
	}
	if known := verbsElsewhere[verb]; known != "" {
		verb = known
	}
	if verb == "get" && len(rest) == 0 {
		verb = "list"
	}
	return callOf(childOf(root, name), args[0], verb, rest)
}

// callOf is the call of a noun's verb; empty when the noun has no such verb. What was called describe shows everything.
func callOf(noun *cobra.Command, called, verb string, rest []string) string {
	found := childOf(noun, verb)
	if found == nil {
		return ""
	}
	call := append([]string{found.CommandPath()}, rest...)
	if called == "describe" && verb == "get" {
		call = append(call, "-o", "yaml")
	}
	return strings.Join(call, " ")
}

// childOf returns the command of that name or alias under one; nil when there is none.
func childOf(cmd *cobra.Command, name string) *cobra.Command {
	if cmd == nil {
		return nil
	}
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() && (child.Name() == name || child.HasAlias(name)) {
			return child
		}
	}
	return nil
}
