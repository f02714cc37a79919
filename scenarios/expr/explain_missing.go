package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"
)

// missing says which keys a map lacks that another one has, where an expression compares all
// elements of the first with those of the second, as nodes.all(name, nodes[name].metadata.uid == uids[name])
// does: an element that is gone is in no comparison.
func (x *explainer) missing() {
	for _, id := range slices.Sorted(maps.Keys(x.info.MacroCalls())) {
		macro := x.info.MacroCalls()[id].AsCall()
		if macro.FunctionName() != "all" || !macro.IsMemberFunction() || macro.Target().Kind() != ast.IdentKind {
			continue
		}
		names, predicate := variablesOf(macro.Args())
		if len(names) == 0 {
			continue
		}
		for _, other := range indexedBy(predicate, names[0]) {
			x.lacks(macro.Target().AsIdent(), other)
		}
	}
}

// indexedBy are the variables that an expression indexes with another one.
func indexedBy(e ast.Expr, index string) (found []string) {
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Index {
			return
		}
		of, by := e.AsCall().Args()[0], e.AsCall().Args()[1]
		if of.Kind() == ast.IdentKind && by.Kind() == ast.IdentKind && by.AsIdent() == index && !slices.Contains(found, of.AsIdent()) {
			found = append(found, of.AsIdent())
		}
	}))
	return found
}

func (x *explainer) lacks(name, other string) {
	value, err := x.valueOf(name)
	whole, errOfOther := x.valueOf(other)
	have, isMap := value.(traits.Mapper)
	want, isMapToo := whole.(traits.Mapper)
	if err != nil || errOfOther != nil || !isMap || !isMapToo {
		return
	}
	var gone []string
	for _, key := range sortedKeys(want) {
		if have.Contains(key) != types.True {
			gone = append(gone, fmt.Sprint(key.Value()))
		}
	}
	if len(gone) > 0 {
		x.say("%s lacks %s, which %s has", name, strings.Join(gone, ", "), other)
	}
}
