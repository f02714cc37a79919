package ccm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestDocumentation: what a user can set, and what he meets, stands in docs/ccm.md.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../docs/ccm.md")
	if err != nil {
		t.Fatal(err)
	}
	words := stringConstants(t, "events.go", "Reason")
	words = append(words, stringConstants(t, "labels.go", "Label")...)
	for _, suffix := range stringConstants(t, "annotations.go", "Annotation") {
		if suffix != AnnotationPrefix {
			words = append(words, AnnotationPrefix+suffix)
		}
	}
	cfg := defaultConfig()
	for _, key := range sortedKeys(cfg.keys(configParser{})) {
		if key != "loadBalancer" {
			words = append(words, key)
		}
	}
	for _, key := range sortedKeys(cfg.LoadBalancer.keys(configParser{})) {
		words = append(words, "loadBalancer."+key)
	}
	if len(words) < 20 {
		t.Fatalf("only %v are looked for", words)
	}
	for _, word := range words {
		if !strings.Contains(string(text), "`"+word+"`") {
			t.Errorf("docs/ccm.md does not mention `%s`", word)
		}
	}
}

// stringConstants returns the literals in the exported constants of a file that begin with prefix.
func stringConstants(t *testing.T, file, prefix string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		ast.Inspect(spec, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
			return true
		})
		return false
	})
	return values
}
