package syntax

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
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
	var document capabilitiesDocument
	if err := readDocument(file, raw, capabilitiesExample, reflect.ValueOf(&document).Elem()); err != nil {
		return nil, err
	}
	declared := scenarios.CapabilitySet{}
	for _, name := range document.Capabilities {
		declared[name] = true
	}
	return declared, nil
}

// capabilitiesExample shows what such a file is.
const capabilitiesExample = `"apiVersion: ` + scenarios.APIVersion + `", "kind: ` + KindCapabilities + `" and "capabilities: [nodes, loadBalancers]"`

// capabilitiesDocument is what such a file says.
type capabilitiesDocument struct {
	APIVersion   apiVersion     `yaml:"apiVersion,required"`
	Kind         string         `yaml:"kind,required" enum:"Capabilities"`
	Capabilities capabilityList `yaml:"capabilities,required"`
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
			d.Errorf(n, "there is no capability %q%s: want %s", name, words.Suggest(name, scenarios.CapabilityNames()), OneOf(scenarios.CapabilityNames()))
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
