// Command new begins a part of simcloud: it writes files that compile, with a test
// that fails until what it asks for is done, and adds the part to the tables that
// must know of it.
//
//	go run ./scripts/new oracle|verb|resource|backend|dialect NAME
//
// It runs in the folder of the module. A file that exists is not overwritten, and
// nothing is written when a table is not as expected.
package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"go/format"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

func main() {
	if err := run(os.Stdout, ".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "new:", err)
		os.Exit(1)
	}
}

//go:embed skeleton
var skeletons embed.FS

// run begins the part that the arguments name in the module at root.
func run(out io.Writer, root string, args []string) error {
	if len(args) != 2 || !slices.Contains(slices.Collect(maps.Keys(kinds)), args[0]) {
		return fmt.Errorf("want two arguments, a kind (%s) and a name, such as: go run ./scripts/new oracle node-renamed",
			strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	k := kinds[args[0]]
	n, err := parseName(args[1])
	if err != nil {
		return err
	}
	files, err := k.begin(root, n)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, path), files[path], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", path)
	}
	if k.generates {
		if err := generate(root); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "next: %s\n", n.replace(k.next))
	return nil
}

// generate writes what repeats the API of the module at root.
func generate(root string) error {
	cmd := exec.CommandContext(context.Background(), "go", "generate", "./scripts/generate")
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go generate: %w\n%s", err, output)
	}
	return nil
}

// name is the name of a part, in the ways that files need it.
type name struct {
	Kebab string // node-renamed, in documents and files of users
	Snake string // node_renamed, in file names
	Flat  string // noderenamed, a package
	Camel string // nodeRenamed
	Title string // NodeRenamed
	Words string // node renamed, in sentences
}

func parseName(kebab string) (name, error) {
	if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(kebab) {
		return name{}, fmt.Errorf("the name %q must be words of lower-case letters and digits with hyphens between them, such as node-renamed", kebab)
	}
	title := ""
	for word := range strings.SplitSeq(kebab, "-") {
		title += strings.ToUpper(word[:1]) + word[1:]
	}
	return name{
		Kebab: kebab, Snake: strings.ReplaceAll(kebab, "-", "_"), Flat: strings.ReplaceAll(kebab, "-", ""),
		Camel: strings.ToLower(title[:1]) + title[1:], Title: title, Words: strings.ReplaceAll(kebab, "-", " "),
	}, nil
}

// replace puts the name into a text that has the fields of name in braces, such as {Snake}.
func (n name) replace(text string) string {
	return strings.NewReplacer("{Kebab}", n.Kebab, "{Snake}", n.Snake, "{Flat}", n.Flat, "{Camel}", n.Camel, "{Title}", n.Title, "{Words}", n.Words).Replace(text)
}

// begin returns the files to write, by their paths below root: new ones and changed ones.
func (k kind) begin(root string, n name) (map[string][]byte, error) {
	files := map[string][]byte{}
	for path, skeleton := range k.files {
		path = n.replace(path)
		if _, err := os.Stat(filepath.Join(root, path)); err == nil {
			return nil, fmt.Errorf("%s exists: choose another name", path)
		}
		source, err := n.fill(skeleton)
		if err != nil {
			return nil, err
		}
		files[path] = source
	}
	for _, e := range k.edits {
		source, ok := files[e.file]
		if !ok {
			var err error
			if source, err = os.ReadFile(filepath.Join(root, e.file)); err != nil {
				return nil, err
			}
		}
		if count := bytes.Count(source, []byte(e.anchor)); count != 1 {
			return nil, fmt.Errorf("%s has %q %d times, want once: scripts/new must follow a change of that file", e.file, e.anchor, count)
		}
		source = bytes.Replace(source, []byte(e.anchor), []byte(n.replace(e.with)), 1)
		files[e.file] = source
	}
	return files, formatAll(files)
}

// fill returns a skeleton with the name in it.
func (n name) fill(skeleton string) ([]byte, error) {
	t, err := template.ParseFS(skeletons, "skeleton/"+skeleton)
	if err != nil {
		return nil, err
	}
	var source bytes.Buffer
	err = t.Execute(&source, n)
	return source.Bytes(), err
}

func formatAll(files map[string][]byte) error {
	for path, source := range files {
		if filepath.Ext(path) != ".go" {
			continue
		}
		formatted, err := format.Source(source)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		files[path] = formatted
	}
	return nil
}
