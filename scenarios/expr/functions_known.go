package expr

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common"
)

// Callable is a function, or a macro such as all, that expressions can call.
type Callable struct {
	Name string
	// Method is whether it stands behind a value and a dot.
	Method bool
	// Doc says what it is; empty for some of CEL's own.
	Doc string
}

// callableRE matches names that can be written; operators have others, and those of this project that macros stand for.
var callableRE = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*(\.[a-zA-Z][a-zA-Z0-9]*)*$`)

// Callables are the functions and macros that expressions can call, by name.
func Callables() ([]Callable, error) {
	env, err := untypedEnv()
	if err != nil {
		return nil, err
	}
	var all []Callable
	add := func(c Callable) {
		if callableRE.MatchString(c.Name) && !slices.ContainsFunc(all, func(o Callable) bool { return o.Name == c.Name && o.Method == c.Method }) {
			all = append(all, c)
		}
	}
	for _, m := range env.Macros() {
		doc := ""
		if documented, ok := m.(common.Documentor); ok && documented.Documentation() != nil {
			doc = documented.Documentation().Description
		}
		add(Callable{m.Function(), m.IsReceiverStyle(), oneParagraph(doc)})
	}
	functions := env.Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		for _, overload := range functions[name].OverloadDecls() {
			add(Callable{name, overload.IsMemberFunction(), oneParagraph(functions[name].Description())})
		}
	}
	slices.SortStableFunc(all, func(a, b Callable) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func oneParagraph(doc string) string { return strings.Join(strings.Fields(doc), " ") }
