package language

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// callables are what expressions can call. The environment that they come from is that of all expressions.
var callables = sync.OnceValue(func() []expr.Callable {
	all, err := expr.Callables()
	if err != nil {
		panic(err.Error())
	}
	return all
})

// expression proposes what can stand in an expression whose text before the cursor is known: after a dot the fields of
// the value before it and what can be called on it, else variables, captured names and functions.
func (p place) expression(lines []string) (all []Proposal) {
	source := p.text
	chain, dotted := chainBefore(source)
	if dotted {
		for _, f := range p.fieldsOf(lines, source, chain) {
			all = append(all, Proposal{f.Name, Property, f.Type, strings.Join(f.Words, ", ")})
		}
	} else {
		for _, name := range bindings(source) {
			all = append(all, Proposal{Text: name.variable, Kind: Variable, Doc: "each of " + name.of})
		}
		for _, c := range captures(lines, p.line) {
			all = append(all, Proposal{Text: c.name, Kind: Variable, Doc: c.doc()})
		}
		for _, v := range expr.Variables {
			all = append(all, Proposal{v.Name, Variable, v.Type().Name(), v.Doc()})
		}
	}
	for _, c := range callables() {
		if c.Method == dotted {
			all = append(all, Proposal{Text: c.Name, Kind: Function, Doc: c.Doc})
		}
	}
	return distinct(all)
}

// fieldsOf are the fields of what a chain of names leads to.
func (p place) fieldsOf(lines []string, source string, chain []string) []step.Field {
	e, known := p.explain(lines, source, chain)
	if !known {
		return nil
	}
	return e.Fields
}

// explain explains what a chain of names leads to. Its first name may be bound by a macro or captured by a step before.
func (p place) explain(lines []string, source string, chain []string) (step.Explained, bool) {
	for range maxBindings { // a variable may be bound to a part of another one
		at := slices.IndexFunc(bindings(source), func(b binding) bool { return len(chain) > 0 && b.variable == chain[0] })
		if at < 0 {
			break
		}
		of, ok := chainOf(bindings(source)[at].of)
		if !ok {
			return step.Explained{}, false
		}
		chain = append(slices.Clone(of), chain[1:]...)
	}
	if len(chain) == 0 {
		return step.Explained{}, false
	}
	path := strings.Join(chain, ".")
	for _, c := range captures(lines, p.line) {
		if c.name == chain[0] {
			if c.operation == "" {
				return step.Explained{}, false
			}
			path = strings.Join(append([]string{c.operation}, chain[1:]...), ".")
		}
	}
	e, err := step.Explain(path)
	return e, err == nil
}

// maxBindings is how deep macros are followed.
const maxBindings = 5

// binding is the variable of a macro, such as vm in instances.all(vm, …).
type binding struct{ variable, of string }

// bindingRE matches a macro with its variable; what stands before its dot is read backwards.
var bindingRE = regexp.MustCompile(`\.(?:all|exists|exists_one|existsOne|map|filter|sortBy|transformList|transformMap)\(\s*([a-zA-Z]\w*)\s*,`)

// bindings are the variables of the macros in a text, the last ones first.
func bindings(source string) (all []binding) {
	found := bindingRE.FindAllStringSubmatchIndex(source, -1)
	slices.Reverse(found)
	for _, at := range found {
		of := source[operandStart(source, at[0]):at[0]]
		if of != "" {
			all = append(all, binding{source[at[2]:at[3]], of})
		}
	}
	return all
}

// chainBefore is the chain of names before the word at the end of a text. Dotted tells whether a dot is between.
func chainBefore(source string) (chain []string, dotted bool) {
	word := len(source) - len(strings.TrimRightFunc(source, isName))
	before := source[:len(source)-word]
	if !strings.HasSuffix(before, ".") {
		return nil, false
	}
	before = strings.TrimSuffix(strings.TrimSuffix(before, "."), "?")
	chain, _ = chainOf(before[operandStart(before, len(before)):])
	return chain, true
}

// operandStart is where the operand begins that ends in a text at a place: names, dots, indexes and calls.
func operandStart(source string, end int) int {
	at := end
	for at > 0 {
		switch c := source[at-1]; {
		case isName(rune(c)) || c == '.' || c == '?':
			at--
		case c == ']' || c == ')':
			open := opening(source, at-1)
			if open < 0 {
				return at
			}
			at = open
		default:
			return at
		}
	}
	return at
}

// opening is where the bracket that closes at a place opens; -1 when it does not.
func opening(source string, at int) int {
	depth := 0
	for quote := byte(0); at >= 0; at-- {
		switch c := source[at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ']' || c == ')' || c == '}':
			depth++
		case c == '[' || c == '(' || c == '{':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

// chainOf are the names of an operand without its indexes. Calls that keep what a list holds are left out; there is
// no chain through others.
func chainOf(operand string) (chain []string, ok bool) {
	var name strings.Builder
	for i := 0; i < len(operand); i++ {
		switch c := operand[i]; {
		case isName(rune(c)):
			name.WriteByte(c)
		case c == '.' || c == '?':
			if name.Len() > 0 {
				chain = append(chain, name.String())
			}
			name.Reset()
		case c == '[' || c == '(':
			end := closing(operand, i)
			if end < 0 || c == '(' && !slices.Contains([]string{"filter", "sortBy", "slice", "reverse", "distinct", "first", "last", "value", "settings"}, name.String()) {
				return nil, false
			}
			if c == '(' {
				name.Reset()
			}
			i = end
		default:
			return nil, false
		}
	}
	if name.Len() > 0 {
		chain = append(chain, name.String())
	}
	return chain, true
}

// closing is where the bracket that opens at a place closes; -1 when it does not.
func closing(source string, at int) int {
	depth := 0
	for quote := byte(0); at < len(source); at++ {
		switch c := source[at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(' || c == '{':
			depth++
		case c == ']' || c == ')' || c == '}':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

func isName(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
