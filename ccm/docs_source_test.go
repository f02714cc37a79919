package ccm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/simcloud-dev/simcloud/ccm/config"
)

// sources are the files of the provider's packages, as far as docs are made of them.
type sources struct {
	files []*ast.File
	// values are the string constants, by package.Name.
	values map[string]string
}

func readSources(t *testing.T) sources {
	t.Helper()
	src := sources{values: map[string]string{}}
	for _, pattern := range []string{"*.go", "*/*.go", "internal/call/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "deploy/") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			src.files = append(src.files, file)
		}
	}
	// Twice, since a constant may be made of one that comes later.
	for range 2 {
		src.eachConstant(func(pkg string, spec *ast.ValueSpec, i int) {
			if value, ok := src.eval(pkg, spec.Values[i]); ok {
				src.values[pkg+"."+spec.Names[i].Name] = value
			}
		})
	}
	return src
}

func (s sources) eachConstant(do func(pkg string, spec *ast.ValueSpec, i int)) {
	for _, file := range s.files {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				if value.Doc == nil && len(group.Specs) == 1 {
					value.Doc = group.Doc
				}
				for i := range value.Values {
					do(file.Name.Name, value, i)
				}
			}
		}
	}
}

// eval returns the value of an expression of strings in a package.
func (s sources) eval(pkg string, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		value, ok := s.values[pkg+"."+e.Name]
		return value, ok
	case *ast.BinaryExpr:
		left, okLeft := s.eval(pkg, e.X)
		right, okRight := s.eval(pkg, e.Y)
		return left + right, okLeft && okRight
	}
	return "", false
}

// constantTable lists the exported string constants whose package and name begin with
// prefix, and go on, in the order of their values, with what their comments say.
func (s sources) constantTable(t *testing.T, name, meaning string, prefixes ...string) string {
	t.Helper()
	rows := map[string][]string{}
	s.eachConstant(func(pkg string, spec *ast.ValueSpec, i int) {
		constant := spec.Names[i].Name
		value, isString := s.values[pkg+"."+constant]
		begins := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(pkg+"."+constant, prefix) })
		if !isString || !begins || !ast.IsExported(constant) || constant == "Prefix" {
			return
		}
		text := strings.Replace(s.prose(t, pkg, spec.Doc, constant), ", is ", ": ", 1)
		rows[value] = []string{asCode(value), text}
	})
	if len(rows) < 3 {
		t.Fatalf("only %d constants begin with %v", len(rows), prefixes)
	}
	return markdownTable([]string{name, meaning}, inOrder(rows))
}

func inOrder(rows map[string][]string) [][]string {
	var all [][]string
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, rows[key])
	}
	return all
}

// quoted are the values in a comment, which Markdown shows as code.
var quoted = regexp.MustCompile(`"([^"\s]+)"`)

// prose is a comment in one line, without the name that it begins with.
func (s sources) prose(t *testing.T, pkg string, doc *ast.CommentGroup, name string) string {
	t.Helper()
	text := strings.Join(strings.Fields(doc.Text()), " ")
	rest, ok := strings.CutPrefix(text, name)
	if !ok {
		t.Errorf("%s has no comment that begins with its name: users read it in docs/ccm.md", name)
	}
	rest = strings.TrimLeft(rest, " ,:")
	for _, verb := range []string{"is ", "are "} {
		rest = strings.TrimPrefix(rest, verb)
	}
	return quoted.ReplaceAllString(s.named(pkg, rest), "`$1`")
}

// identifier is a name that may be a constant.
var identifier = regexp.MustCompile(`\[?\b([A-Z][a-z]+[A-Z]\w+)\b\]?`)

// named puts the values of constants of a package in the place of their names.
func (s sources) named(pkg, text string) string {
	return identifier.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := s.values[pkg+"."+strings.Trim(found, "[]")]; ok {
			return asCode(value)
		}
		return found
	})
}

// configTable lists the keys of the cloud config with what the comments of the fields say.
func (s sources) configTable(t *testing.T) string {
	t.Helper()
	return markdownTable([]string{"key", "meaning"}, s.configRows(t, "Config", "", nil))
}

// configRows adds the keys of one struct, which begin with path. Those that the parser knows must be those that have a field.
func (s sources) configRows(t *testing.T, structName, path string, rows [][]string) [][]string {
	t.Helper()
	known := map[string]bool{}
	for _, field := range s.structFields(t, structName) {
		name := field.Names[0].Name
		key := keyOf(name)
		known[key] = true
		if nested, ok := field.Type.(*ast.Ident); ok && nested.Name == "LoadBalancer" {
			rows = s.configRows(t, nested.Name, path+key+".", rows)
			continue
		}
		rows = append(rows, []string{asCode(path + key), upperFirst(s.prose(t, "config", field.Doc, name))})
	}
	for _, full := range config.Keys() {
		key, within := strings.CutPrefix(full, path)
		if !within || strings.Contains(key, ".") {
			continue
		}
		if !known[key] {
			t.Errorf("the cloud config has the key %s, and %s no such field", full, structName)
		}
		delete(known, key)
	}
	for key := range known {
		t.Errorf("%s has a field for %s%s, which is no key of the cloud config", structName, path, key)
	}
	return rows
}

func (s sources) structFields(t *testing.T, name string) []*ast.Field {
	t.Helper()
	for _, file := range s.files {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				if spec := spec.(*ast.TypeSpec); spec.Name.Name == name {
					return spec.Type.(*ast.StructType).Fields.List
				}
			}
		}
	}
	t.Fatalf("there is no struct %s", name)
	return nil
}

// keyOf is the key of a field: its name with the first word in small letters.
func keyOf(field string) string {
	runes := []rune(field)
	for i := range runes {
		if i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) || unicode.IsLower(runes[i]) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// metricTable lists the metrics by what they are made with.
func (s sources) metricTable(t *testing.T) string {
	t.Helper()
	rows := map[string][]string{}
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, row, ok := s.metric(file.Name.Name, call); ok {
				rows[name] = row
			}
			return true
		})
	}
	if len(rows) == 0 {
		t.Fatal("there are no metrics")
	}
	return markdownTable([]string{"metric", "labels", "what it counts"}, inOrder(rows))
}

// metric reads a call of metrics.NewCounterVec and its like.
func (s sources) metric(pkg string, call *ast.CallExpr) (name string, row []string, ok bool) {
	made, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !regexp.MustCompile(`^New(Counter|Gauge|Histogram)(Vec)?$`).MatchString(made.Sel.Name) || len(call.Args) == 0 {
		return "", nil, false
	}
	options, ok := call.Args[0].(*ast.UnaryExpr)
	if !ok {
		return "", nil, false
	}
	parts := map[string]string{}
	for _, e := range options.X.(*ast.CompositeLit).Elts {
		pair := e.(*ast.KeyValueExpr)
		parts[pair.Key.(*ast.Ident).Name], _ = s.eval(pkg, pair.Value)
	}
	var labels []string
	if len(call.Args) > 1 {
		for _, e := range call.Args[1].(*ast.CompositeLit).Elts {
			label, _ := s.eval(pkg, e)
			labels = append(labels, asCode(label))
		}
	}
	for _, part := range []string{"Subsystem", "Namespace"} {
		if parts[part] != "" {
			parts["Name"] = parts[part] + "_" + parts["Name"]
		}
	}
	return parts["Name"], []string{asCode(parts["Name"]), strings.Join(labels, ", "), parts["Help"]}, true
}
