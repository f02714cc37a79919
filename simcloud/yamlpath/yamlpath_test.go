package yamlpath_test

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud/yamlpath"
)

const document = `name: a
effect:
  sequence:
  - ok: {}
  - error:
      code: gone
base: &base
  zone: zone-a
other: *base
`

func TestLine(t *testing.T) {
	t.Parallel()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"name": 1, "effect": 2, "effect.sequence": 3, "effect.sequence[0].ok": 4, "effect.sequence[1].error.code": 6,
		"effect.sequence[1].error.retryAfter": 5, // which is not there
		"other.zone":                          8, "base[zone]": 8,
		"effect.sequence.error.code": 0, // of which item?
		"nothing.at.all":             0, "effect.sequence[7].ok": 0,
	} {
		if got := yamlpath.Line(doc.Content[0], path); got != want {
			t.Errorf("%s: line %d, want %d", path, got, want)
		}
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatal(err)
	}
	if got := yamlpath.Node(doc.Content[0], "effect.sequence[1].error.code"); got.Value != "gone" {
		t.Errorf("the code is %q", got.Value)
	}
	if got := yamlpath.Node(doc.Content[0], "nothing.at.all"); got != doc.Content[0] {
		t.Errorf("what is nowhere leads to line %d", got.Line)
	}
}
