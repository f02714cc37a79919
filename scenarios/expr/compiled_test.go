package expr

import "testing"

// TestCompiledOnce: an expression without captured names is compiled once, and each scenario has a copy of its own; what reads
// captured names is compiled for each.
func TestCompiledOnce(t *testing.T) {
	compile := func(capture, source string) *Expr {
		t.Helper()
		c, err := NewCompiler()
		if err == nil && capture != "" {
			err = c.Declare(capture, Type{})
		}
		if err != nil {
			t.Fatal(err)
		}
		e, issues := c.Compile(source)
		if len(issues) > 0 {
			t.Fatal(issues[0].Message)
		}
		return e
	}
	one, two := compile("", "nodes.size() == 7"), compile("", "nodes.size() == 7")
	if one == two || one.AST != two.AST {
		t.Error("it was compiled twice, or shared")
	}
	one.PlaceOf = func(int, int) string { return "here" }
	if compile("", "nodes.size() == 7").PlaceOf != nil {
		t.Error("it keeps the place of another scenario")
	}
	one, two = compile("x", "x == 7"), compile("x", "x == 7")
	if one.AST == two.AST {
		t.Error("what reads a captured name was not compiled again")
	}
}

// TestCompiledIsBounded: not all is kept for ever.
func TestCompiledIsBounded(t *testing.T) {
	t.Parallel()
	var c compiled
	for n := range mostCompiled + 1 {
		c.put(Expr{Source: string(rune('a' + n))})
	}
	if len(c.all) > mostCompiled {
		t.Errorf("%d are kept", len(c.all))
	}
}
