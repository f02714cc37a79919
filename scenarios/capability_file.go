package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// KindCapabilities is the kind of a file that declares what a CCM can do.
const KindCapabilities = "Capabilities"

// LoadCapabilities reads a file that declares what a CCM can do. Its error
// names every mistake with its file, line and column.
func LoadCapabilities(file string) (CapabilitySet, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, LoadError{err}
	}
	return ParseCapabilities(file, raw)
}

// ParseCapabilities reads the text of such a file; the name is for its error.
func ParseCapabilities(file string, raw []byte) (CapabilitySet, error) {
	d := &decoder{file: file, lines: strings.Split(string(raw), "\n")}
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.errorAt(Position{File: file, Line: 1}, "the file declares nothing: %s is right", capabilitiesExample)
		return nil, d.errs
	case err != nil:
		at, message := yamlErrorPosition(file, err)
		d.errorAt(at, "%s", message)
		return nil, d.errs
	case !d.bounded(&doc):
		return nil, d.errs
	}
	declared := d.capabilitiesFile(doc.Content[0])
	if documents.Decode(&more) == nil {
		d.errorf(&more, "the file has a second document: one is right")
	}
	return declared, d.errs.asError()
}

// capabilitiesExample shows what such a file is.
const capabilitiesExample = `"apiVersion: ` + APIVersion + `", "kind: ` + KindCapabilities + `" and "capabilities: [nodes, loadBalancers]"`

func (d *decoder) capabilitiesFile(n *yaml.Node) CapabilitySet {
	var version, kind string
	var names []string
	d.object(n, "the file",
		field{"apiVersion", true, d.word("apiVersion", &version, APIVersion)},
		field{"kind", true, d.word("kind", &kind, KindCapabilities)},
		field{"capabilities", true, d.capabilities("capabilities", &names)},
	)
	declared := CapabilitySet{}
	for _, name := range names {
		declared[name] = true
	}
	return declared
}

// capabilities decodes a list of capabilities, each once.
func (d *decoder) capabilities(what string, into *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d.list(n, what, func(n *yaml.Node) {
			var name string
			before := len(d.errs)
			d.text("the name of a capability", &name)(n)
			switch {
			case len(d.errs) > before:
			case !slices.Contains(capabilityNames(), name):
				d.errorf(n, "there is no capability %q%s: %s are right", name, suggestWord(name, capabilityNames()), oneOf(capabilityNames()))
			case slices.Contains(*into, name):
				d.errorf(n, "the capability %q is there twice", name)
			default:
				*into = append(*into, name)
			}
		})
	}
}

// suggestWord returns the word that was probably meant.
func suggestWord(word string, words []string) string {
	fields := make([]field, len(words))
	for i, w := range words {
		fields[i] = field{name: w}
	}
	return suggest(word, fields)
}

// CapabilitiesFile writes the file that declares a set, with what each promises.
func CapabilitiesFile(declared CapabilitySet) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\n", APIVersion, KindCapabilities)
	if len(declared) == 0 {
		b.WriteString("capabilities: []\n")
		return b.Bytes()
	}
	b.WriteString("capabilities:\n")
	for _, c := range Capabilities() {
		if declared[c.Name] {
			fmt.Fprintf(&b, "- %-22s # %s\n", c.Name, c.Doc)
		}
	}
	return b.Bytes()
}
