package syntax

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// KindSteps is the kind of a file of steps that scenarios use.
const KindSteps = "Steps"

// stepsFile is a file of the kind Steps: what scenarios use in several places.
type stepsFile struct {
	parameters []parameter
	steps      *yaml.Node
}

// stepsDocument is a document of such a file.
type stepsDocument struct {
	APIVersion apiVersion    `yaml:"apiVersion,required"`
	Kind       string        `yaml:"kind,required" enum:"Steps"`
	Metadata   stepsMetadata `yaml:"metadata,required"`
	Spec       stepsSpec     `yaml:"spec,required"`
}

type stepsMetadata struct {
	Name string `yaml:"name,required"`
}

type stepsSpec struct {
	Description string          `yaml:"description,required"`
	Parameters  stepsParameters `yaml:"parameters"`
	Steps       stepList        `yaml:"steps,required"`
}

// outlineSteps reads such a file as far as that can be done without a scenario
// that uses it, which decides what its expressions can read.
func (d *Decoder) outlineSteps(n *yaml.Node) stepsFile {
	file := stepsFile{parameters: d.parameters(ChildOf(n, "spec"), false)}
	var document stepsDocument
	d.read(n, "the file of steps", reflect.ValueOf(&document).Elem())
	steps := document.Spec.Steps
	steps.each(d, "steps", d.outline)
	steps.notEmpty(d)
	file.steps = steps.at
	return file
}

// outline checks that a step has a verb.
func (d *Decoder) outline(n *yaml.Node) {
	if n = Resolve(n); n.Kind != yaml.MappingNode {
		d.Errorf(n, "a step is %s: want a mapping with one of %s", Describe(n), strings.Join(VerbNames(d.verbs), ", "))
		return
	}
	packets := d.needsPackets
	d.verbOf(n)
	d.needsPackets = packets
}

// readSteps reads a file that a scenario uses. It reports whether that can be done.
func (d *Decoder) readSteps(raw []byte) (stepsFile, bool) {
	before := d.mistakes
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	var document, more yaml.Node
	if err := documents.Decode(&document); err != nil {
		at, message := YAMLErrorPosition(d.File, err)
		if errors.Is(err, io.EOF) {
			message = "the file is empty"
		}
		d.ErrorAt(at, "%s", message)
		return stepsFile{}, false
	}
	if !d.bounded(&document) {
		return stepsFile{}, false
	}
	if kind := ChildOf(document.Content[0], "kind"); kind == nil || kind.Value != KindSteps {
		d.Errorf(document.Content[0], "the file is not of the kind %s, so it cannot be used", KindSteps)
		return stepsFile{}, false
	}
	file := d.outlineSteps(document.Content[0])
	if err := documents.Decode(&more); !errors.Is(err, io.EOF) {
		d.Errorf(document.Content[0], "a file of steps that is used has one document")
	}
	return file, d.mistakes == before
}

// namesOfSteps are the names of the steps that the library includes.
func namesOfSteps() []string {
	files, _ := fs.Glob(scenarios.Library, path.Join(scenarios.LibraryFolder, "steps", "*.yaml")) // the pattern is valid
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
	}
	slices.Sort(names)
	return names
}
