package scenarios

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// KindSteps is the kind of a file of steps that scenarios use.
const KindSteps = "Steps"

// stepsFile is a file of the kind Steps: what scenarios use in several places.
type stepsFile struct {
	parameters []parameter
	steps      *yaml.Node
}

// stepsDocument reads such a file as far as that can be done without a scenario
// that uses it, which decides what its expressions can read.
func (d *decoder) stepsDocument(n *yaml.Node) stepsFile {
	var version, kind, name, description string
	file := stepsFile{parameters: d.parameters(childOf(n, "spec"), false)}
	d.object(n, "the file of steps",
		field{"apiVersion", true, d.word("apiVersion", &version, APIVersion)},
		field{"kind", true, d.word("kind", &kind, KindSteps)},
		field{"metadata", true, func(n *yaml.Node) {
			d.object(n, "metadata", field{"name", true, d.text("name", &name)})
		}},
		field{"spec", true, func(n *yaml.Node) {
			d.object(n, "spec",
				field{"description", true, d.text("description", &description)},
				field{"parameters", false, func(*yaml.Node) {}},
				field{"steps", true, func(n *yaml.Node) { file.steps = resolve(n) }},
			)
		}},
	)
	if file.steps != nil {
		d.list(file.steps, "steps", d.outline)
		if len(file.steps.Content) == 0 {
			d.errorf(file.steps, "steps is empty")
		}
	}
	return file
}

// outline checks that a step has a verb.
func (d *decoder) outline(n *yaml.Node) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		d.errorf(n, "a step is %s: a mapping with one of %s is right", describe(n), strings.Join(verbNames(d.verbs), ", "))
		return
	}
	packets := d.needsPackets
	d.verbOf(n)
	d.needsPackets = packets
}

// readSteps reads a file that a scenario uses. It reports whether that can be done.
func (d *decoder) readSteps(raw []byte) (stepsFile, bool) {
	before := len(d.errs)
	documents := yaml.NewDecoder(bytes.NewReader(raw))
	var document, more yaml.Node
	if err := documents.Decode(&document); err != nil {
		at, message := yamlErrorPosition(d.file, err)
		if errors.Is(err, io.EOF) {
			message = "the file is empty"
		}
		d.errorAt(at, "%s", message)
		return stepsFile{}, false
	}
	if !d.bounded(&document) {
		return stepsFile{}, false
	}
	if kind := childOf(document.Content[0], "kind"); kind == nil || kind.Value != KindSteps {
		d.errorf(document.Content[0], "the file is not of the kind %s, so it cannot be used", KindSteps)
		return stepsFile{}, false
	}
	file := d.stepsDocument(document.Content[0])
	if err := documents.Decode(&more); !errors.Is(err, io.EOF) {
		d.errorf(document.Content[0], "a file of steps that is used has one document")
	}
	return file, len(d.errs) == before
}

// namesOfSteps are the names of the steps that the library brings along.
func namesOfSteps() []string {
	files, _ := fs.Glob(library, path.Join(libraryFolder, "steps", "*.yaml")) // the pattern is right
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
	}
	slices.Sort(names)
	return names
}
