package openapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write comments.json")

// TestComments: what is embedded is what the source says. "go generate" brings it up to date.
func TestComments(t *testing.T) {
	want := comments{Types: map[string]typeComment{}, Operations: map[string]operationComment{}, Groups: map[string]string{}}
	for _, dir := range []string{"..", "../fault", "../server"} {
		want.read(t, dir)
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI")
		}
		if err := os.WriteFile("comments.json", raw.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(source, raw.Bytes()) {
		t.Error("comments.json is not what the source says: run go generate ./simcloud/openapi")
	}
}

// read adds what the package in a folder says.
func (c comments) read(t *testing.T, dir string) {
	t.Helper()
	files, fset := parseFiles(t, dir)
	pkg, err := doc.NewFromFiles(fset, files, dir, doc.AllDecls|doc.PreserveAST)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range pkg.Types {
		spec := typ.Decl.Specs[0].(*ast.TypeSpec)
		switch is := spec.Type.(type) {
		case *ast.InterfaceType:
			c.readInterface(pkg.Name, typ, is)
		case *ast.StructType:
			if !onWire(is) {
				continue
			}
			c.Types[pkg.Name+"."+typ.Name] = typeComment{Doc: text(typ.Doc), Fields: fields(is)}
		case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.MapType:
			if values := constants(typ); typ.Doc != "" || values != nil {
				c.Types[pkg.Name+"."+typ.Name] = typeComment{Doc: text(typ.Doc), Values: values}
			}
		}
	}
}

func parseFiles(t *testing.T, dir string) ([]*ast.File, *token.FileSet) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files, fset
}

// readInterface adds the methods of an interface that operations are named by.
func (c comments) readInterface(pkg string, typ *doc.Type, is *ast.InterfaceType) {
	if typ.Name != "Control" && !strings.HasSuffix(typ.Name, "API") {
		return
	}
	group := strings.TrimSuffix(typ.Name, "API")
	if group == "" {
		group = strings.ToUpper(pkg[:1]) + pkg[1:]
	}
	if len(is.Methods.List[0].Names) > 0 {
		c.Groups[group] = text(typ.Doc)
	}
	for _, method := range is.Methods.List {
		for _, name := range method.Names {
			c.Operations[name.Name] = operationComment{Group: group, Doc: text(method.Doc.Text())}
		}
	}
}

// onWire reports whether a struct is written as JSON.
func onWire(is *ast.StructType) bool {
	return slices.ContainsFunc(is.Fields.List, func(field *ast.Field) bool {
		return field.Tag != nil && strings.Contains(field.Tag.Value, "json:")
	}) || slices.ContainsFunc(is.Fields.List, func(field *ast.Field) bool { return len(field.Names) == 0 })
}

// fields returns the comments of a struct's fields by their names.
func fields(is *ast.StructType) map[string]string {
	found := map[string]string{}
	for _, field := range is.Fields.List {
		said := text(field.Doc.Text())
		if line := text(field.Comment.Text()); said == "" {
			said = line
		}
		for _, name := range field.Names {
			if said != "" {
				found[name.Name] = said
			}
		}
	}
	return found
}

// constants returns the values of a type of texts.
func constants(typ *doc.Type) []valueComment {
	var values []valueComment
	for _, group := range typ.Consts {
		if !group.Decl.Lparen.IsValid() {
			continue // one constant alone is no enumeration
		}
		for _, spec := range group.Decl.Specs {
			value := spec.(*ast.ValueSpec)
			for _, expr := range value.Values {
				lit, ok := expr.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				plain, err := strconv.Unquote(lit.Value)
				if err == nil {
					values = append(values, valueComment{plain, text(value.Doc.Text() + value.Comment.Text())})
				}
			}
		}
	}
	return values
}

// text is a comment in one line.
func text(comment string) string { return strings.Join(strings.Fields(comment), " ") }
