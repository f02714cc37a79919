package fault

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// operation is one that a rule can name: "CreateTarget" of the cloud, or "hcloud:add_target" of a dialect.
type operation struct {
	name string
	// Endpoint is what the operation stands for in the cloud.
	simcloud.Endpoint
	// named is whether it can name resources though Endpoint is a list: in its body.
	named bool
}

// dialectOperation is an operation of a dialect, in the table that is generated from the dialects.
type dialectOperation struct{ name, method, core string }

func (o dialectOperation) operation() operation {
	endpoint, known := simcloud.EndpointOf(o.core)
	if !known { // the cloud has none for it
		endpoint = simcloud.Endpoint{Operation: o.core, Method: o.method}
	}
	return operation{o.name, endpoint, isList(endpoint) && o.method == http.MethodPost}
}

// DialectOperations returns the operations of all dialects as rules name them, such as "hcloud:add_target".
func DialectOperations() []string {
	names := make([]string, len(dialectOperations))
	for i, o := range dialectOperations {
		names[i] = o.name
	}
	return names
}

// chosenOfDialects returns the operations of dialects that a glob matches.
func chosenOfDialects(glob string) []operation {
	var operations []operation
	for _, o := range dialectOperations {
		if simcloud.Glob(glob, o.name) {
			operations = append(operations, o.operation())
		}
	}
	return operations
}

// noSuch says why a glob matches no operation.
func noSuch(glob string) string {
	if !simcloud.NamesDialect(glob) {
		return "matches no operation of the cloud, such as CreateInstance or Get*; those of the simulator have no faults"
	}
	text := "matches no operation of a dialect, such as hcloud:add_target"
	if near := nearest(glob); len(near) > 0 {
		text += ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return text
}

// maxNear is how many operations are offered in place of one that does not exist.
const maxNear = 3

// nearest are the operations of dialects whose names have most in common with a text.
func nearest(text string) []string {
	names := DialectOperations()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(common(text, b), common(text, a)) })
	names = names[:min(maxNear, len(names))]
	return slices.DeleteFunc(names, func(name string) bool { return common(text, name) == 0 })
}

// common is how much two names of operations have in common: the letters that both begin
// with behind the dialect, and those of the words that both have.
func common(a, b string) int {
	_, a, _ = strings.Cut(a, ":")
	_, b, _ = strings.Cut(b, ":")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	words := strings.Split(b, "_")
	for word := range strings.SplitSeq(a, "_") {
		if slices.Contains(words, word) {
			n += len(word)
		}
	}
	return n
}
