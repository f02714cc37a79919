package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// KindCapabilities is the kind of a file that declares what a CCM can do.
const KindCapabilities = "Capabilities"

// LoadCapabilities reads a file that declares what a CCM can do. Its error
// names every mistake with its file, line and column.
func LoadCapabilities(file string) (scenarios.CapabilitySet, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, scenarios.LoadError{err}
	}
	return ParseCapabilities(file, raw)
}

// ParseCapabilities reads the text of such a file; the name is for its error.
func ParseCapabilities(file string, raw []byte) (scenarios.CapabilitySet, error) {
	d := &Decoder{File: file, lines: strings.Split(string(raw), "\n")}
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	switch err := documents.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.ErrorAt(scenarios.Position{File: file, Line: 1}, "the file declares nothing: want %s", capabilitiesExample)
		return nil, d.Errs
	case err != nil:
		at, message := YAMLErrorPosition(file, err)
		d.ErrorAt(at, "%s", message)
		return nil, d.Errs
	case !d.bounded(&doc):
		return nil, d.Errs
	}
	declared := d.capabilitiesFile(doc.Content[0])
	if documents.Decode(&more) == nil {
		d.Errorf(&more, "the file has a second document: want one")
	}
	return declared, d.Errs.AsError()
}

// capabilitiesExample shows what such a file is.
const capabilitiesExample = `"apiVersion: ` + scenarios.APIVersion + `", "kind: ` + KindCapabilities + `" and "capabilities: [nodes, loadBalancers]"`

// capabilitiesDocument is what such a file says.
type capabilitiesDocument struct {
	APIVersion   apiVersion     `yaml:"apiVersion,required"`
	Kind         string         `yaml:"kind,required" enum:"Capabilities"`
	Capabilities capabilityList `yaml:"capabilities,required"`
}

func (d *Decoder) capabilitiesFile(n *yaml.Node) scenarios.CapabilitySet {
	var document capabilitiesDocument
	d.read(n, "the file", reflect.ValueOf(&document).Elem())
	declared := scenarios.CapabilitySet{}
	for _, name := range document.Capabilities {
		declared[name] = true
	}
	return declared
}

// capabilityList is a list of capabilities, each once.
type capabilityList []string

func (*capabilityList) Schema() map[string]any {
	return map[string]any{"type": "array", "items": EnumSchema(scenarios.CapabilityNames()...)}
}

func (c *capabilityList) Read(d *Decoder, n *yaml.Node, what string) {
	d.List(n, what, func(n *yaml.Node) {
		name, ok := d.ReadText(n, "the name of a capability")
		switch {
		case !ok:
		case !slices.Contains(scenarios.CapabilityNames(), name):
			d.Errorf(n, "there is no capability %q%s: want %s", name, Suggest(name, scenarios.CapabilityNames()), OneOf(scenarios.CapabilityNames()))
		case slices.Contains(*c, name):
			d.Errorf(n, "the capability %q is there twice", name)
		default:
			*c = append(*c, name)
		}
	})
}

// CapabilitiesFile writes the file that declares a set, with what each promises.
func CapabilitiesFile(declared scenarios.CapabilitySet) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\n", scenarios.APIVersion, KindCapabilities)
	if len(declared) == 0 {
		b.WriteString("capabilities: []\n")
		return b.Bytes()
	}
	b.WriteString("capabilities:\n")
	for _, c := range scenarios.Capabilities() {
		if declared[c.Name] {
			fmt.Fprintf(&b, "- %-22s # %s\n", c.Name, c.Doc)
		}
	}
	return b.Bytes()
}
