package syntax_test

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// validator is what an editor with a language server for YAML does with the schema.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(scenarios.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaOfLibrary: an editor marks nothing in the scenarios of this project.
func TestSchemaOfLibrary(t *testing.T) {
	schema := validator(t)
	files := 0
	err := fs.WalkDir(scenarios.Library, scenarios.LibraryFolder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		files++
		raw, err := fs.ReadFile(scenarios.Library, name)
		if err != nil {
			return err
		}
		documents := yaml.NewDecoder(bytes.NewReader(raw))
		for {
			var document any
			if documents.Decode(&document) != nil {
				return nil // the loader's tests see to it that it is the end
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestSchemaOfOneVerb: of a step with a mistake an editor shows that mistake, and not what each other verb would want.
func TestSchemaOfOneVerb(t *testing.T) {
	schema := validator(t)
	for _, c := range []struct{ name, step, at, want string }{
		{"a key", "{expect: 'true', withn: 5s}", "/spec/steps/0", `additional properties 'withn' not allowed`},
		{"a key of a value", "{cloud: {operation: ListZones, capturre: z}}", "/spec/steps/0/cloud", `additional properties 'capturre' not allowed`},
		{"a duration", "{expect: 'true', within: 20}", "/spec/steps/0/within", "got number, want string"},
		{"a verb", "{expekt: 'true'}", "/", "must be one of 'apply', 'because'"},
		{"two verbs", "{sleep: 1s, simulator: restart}", "/spec/steps/0", "additional properties 'simulator' not allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var document any
			text := "{apiVersion: simcloud.dev/v1alpha1, kind: Scenario, metadata: {name: a}, spec: {description: A test., steps: [" + c.step + "]}}"
			if err := yaml.Unmarshal([]byte(text), &document); err != nil {
				t.Fatal(err)
			}
			err := schema.Validate(document)
			if err == nil {
				t.Fatal("no mistake")
			}
			leaves := leavesOf(err.(*jsonschema.ValidationError))
			found := false
			for _, leaf := range leaves {
				found = found || strings.HasPrefix(leaf, c.at+": ") && strings.Contains(leaf, c.want)
			}
			if !found || len(leaves) > 3 {
				t.Errorf("mistakes:\n%s\nwant one at %s with %q, and at most two more", strings.Join(leaves, "\n"), c.at, c.want)
			}
		})
	}
}

// leavesOf are the mistakes that have no other below them. Of verbs of which a step has one, an editor shows one mistake.
func leavesOf(e *jsonschema.ValidationError) (leaves []string) {
	if _, one := e.ErrorKind.(*kind.OneOf); !one && len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			leaves = append(leaves, leavesOf(cause)...)
		}
		return leaves
	}
	text, _, _ := strings.Cut(e.Error(), " - at")
	return []string{strings.Join(strings.Fields("/"+strings.Join(e.InstanceLocation, "/")+": "+text), " ")}
}
