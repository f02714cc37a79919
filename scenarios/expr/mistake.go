package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"

	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// usages are how the functions are called that expressions can use besides CEL's own.
var usages = map[string]string{
	"addresses":     "addresses(node, type)",
	"condition":     "condition(object, type)",
	"forRoute":      "forRoute(call)",
	"hasVM":         "hasVM(node, vm)",
	"label":         "label(object, key)",
	"leadsTo":       "leadsTo(route, vm)",
	"metric":        "metric(text, name, labels)",
	"providerID":    "providerID(vm)",
	"shownID":       "shownID(kind, id)",
	"cloudID":       "cloudID(kind, text)",
	"reachable":     "reachable(service)",
	"reasons":       "reasons(events, kind, name)",
	"region":        "region(vm)",
	"removesTarget": "removesTarget(call)",
	"settings":      "settings(value)",
	"sources":       "sources(lb, listener)",
	"tainted":       "tainted(node, key)",
	"zone":          "zone(vm)",
}

// builtIn are names of CEL itself that are often meant.
var builtIn = []string{"all", "bool", "contains", "duration", "dyn", "endsWith", "exists", "exists_one", "filter", "has", "int", "map", "matches", "size", "startsWith", "string", "timestamp"}

// inOwnWords says what is wrong without the terms of CEL's parser and checker. After a mistake in the syntax the parser
// reports what follows from it, which is left out.
func (c *Compiler) inOwnWords(issues []*common.Error) []*common.Error {
	if at := slices.IndexFunc(issues, isSyntax); at >= 0 {
		issues = issues[at : at+1]
	}
	said := make([]*common.Error, len(issues))
	for i, issue := range issues {
		own := *issue
		own.Message = c.ownWords(strings.TrimSpace(issue.Message))
		said[i] = &own
	}
	return said
}

const syntaxMark = "Syntax error: "

func isSyntax(issue *common.Error) bool { return strings.HasPrefix(issue.Message, syntaxMark) }

var (
	undeclaredRE = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	overloadRE   = regexp.MustCompile(`(?s)^found no matching overload for '([^']*)' applied to '(.*)'$`)
	selectionRE  = regexp.MustCompile(`^type '(.*)' does not support field selection$`)
	rangeRE      = regexp.MustCompile(`^expression of type '(.*)' cannot be range of a comprehension`)
)

func (c *Compiler) ownWords(said string) string {
	if text, ok := strings.CutPrefix(said, syntaxMark); ok {
		return syntaxMistake(text)
	}
	if m := undeclaredRE.FindStringSubmatch(said); m != nil {
		return c.unknownName(m[1])
	}
	if m := overloadRE.FindStringSubmatch(said); m != nil {
		return wrongOperands(m[1], plainTypes(m[2]))
	}
	if m := selectionRE.FindStringSubmatch(said); m != nil {
		return withArticle(plainTypes(m[1])) + " has no fields"
	}
	if m := rangeRE.FindStringSubmatch(said); m != nil {
		return "only a list or a map has elements to look at, and this is " + withArticle(plainTypes(m[1]))
	}
	return plainTypes(said)
}

// unknownName suggests names that an expression can read or call.
func (c *Compiler) unknownName(name string) string {
	known := slices.Concat(c.names(), builtIn)
	for function := range usages {
		known = append(known, function)
	}
	slices.Sort(known)
	return fmt.Sprintf("there is no variable or function %q%s", name, words.Suggest(name, known))
}

// names are those that an expression can read here.
func (c *Compiler) names() []string {
	names := slices.Clone(c.captured)
	for _, v := range Variables {
		names = append(names, v.Name)
	}
	return names
}

var (
	tokenRE     = regexp.MustCompile(`(?s)^token recognition error at: '(.*)'$`)
	missingRE   = regexp.MustCompile(`(?s)^missing '(.*?)' at '(.*)'$`)
	extraneous  = regexp.MustCompile(`(?s)^extraneous input '(.*?)' expecting`)
	mismatched  = regexp.MustCompile(`(?s)^mismatched input '(.*?)' expecting`)
	viableRE    = regexp.MustCompile(`(?s)^no viable alternative at input '(.*)'$`)
	endOfSource = "<EOF>"
)

// syntaxMistake is what the parser says, for those who have never seen its grammar.
func syntaxMistake(said string) string {
	if m := tokenRE.FindStringSubmatch(said); m != nil {
		return strayToken(m[1])
	}
	if m := missingRE.FindStringSubmatch(said); m != nil {
		return fmt.Sprintf("a %q is missing %s", m[1], before(m[2]))
	}
	for _, re := range []*regexp.Regexp{extraneous, mismatched, viableRE} {
		m := re.FindStringSubmatch(said)
		switch {
		case m == nil:
		case m[1] == endOfSource:
			return "the expression ends too early: something must follow"
		default:
			return fmt.Sprintf("%q is not expected here", m[1])
		}
	}
	return said
}

func before(token string) string {
	if token == endOfSource {
		return "at the end"
	}
	return fmt.Sprintf("before %q", token)
}

func strayToken(token string) string {
	switch {
	case strings.HasPrefix(token, `"`), strings.HasPrefix(token, "'"):
		return "the text that begins here has no closing quote"
	case strings.TrimSpace(token) == "=", strings.HasPrefix(token, "=") && !strings.HasPrefix(token, "=="):
		return `"=" is no operator: want "=="`
	case strings.HasPrefix(token, "&"), strings.HasPrefix(token, "|"):
		return fmt.Sprintf("%q is no operator: want %q", token[:1], token[:1]+token[:1])
	default:
		return fmt.Sprintf("%q is not expected here", strings.TrimSpace(token))
	}
}

// pathOfType matches what stands before the name of a type, and before those in its brackets.
var pathOfType = regexp.MustCompile(`[\w.-]+(/[\w.-]+)*/[\w-]+\.`)

// plainTypes is a text with the names of types as their users know them.
func plainTypes(text string) string {
	text = pathOfType.ReplaceAllString(text, "")
	return genericRE.ReplaceAllString(text, "$2$1")
}

// genericRE matches Result[Instance], which users know as InstanceResult.
var genericRE = regexp.MustCompile(`\b(\w+)\[(\w+)\]`)

// symbols are operators as they are written.
var symbols = map[string]string{operators.In: "in", operators.Index: "[]", operators.OptIndex: "[?]", operators.Conditional: "? :", operators.LogicalNot: "!", operators.Negate: "-"}

// wrongOperands says that an operator or a function takes other values.
func wrongOperands(function, operands string) string {
	operands = strings.ReplaceAll(operands, "dyn", "any")
	symbol, known := symbols[function]
	if !known && strings.HasPrefix(function, "_") {
		symbol = strings.Trim(function, "_")
	}
	name := strings.TrimPrefix(function, "simcloud_")
	switch {
	case symbol == "==", symbol == "!=":
		return fmt.Sprintf("%s compares values of one type, and these are %s", symbol, operands)
	case symbol != "":
		return fmt.Sprintf("%s does not go with %s", symbol, operands)
	case usages[name] != "":
		return fmt.Sprintf("%s is called as %s, and not with %s", name, usages[name], operands)
	case strings.Contains(operands, ".("):
		return fmt.Sprintf("%s has no function %s", withArticle(operands[:strings.Index(operands, ".(")]), name)
	default:
		return fmt.Sprintf("%s is not called with %s", name, operands)
	}
}
