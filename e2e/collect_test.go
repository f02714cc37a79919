package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestCollectedFilesAreText: a name or a message that would do something to a terminal is visible in a file, and read back as it was.
func TestCollectedFilesAreText(t *testing.T) {
	t.Parallel()
	want := map[string]any{"message": "a\x1b[2J\u009b\u202e\x7f\n</script>```", "count": "1"}
	read := func() (any, error) { return want, nil }
	for name, write := range map[string]func(string, func() (any, error)) error{"a.json": writeJSON, "a.yaml": writeYAML} {
		path := filepath.Join(t.TempDir(), name)
		if err := write(path, read); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(string(raw), func(r rune) bool { return !strconv.IsGraphic(r) && r != '\n' }) {
			t.Errorf("%s is not text: %q", name, raw)
		}
		var got map[string]any
		if err := yaml.Unmarshal(raw, &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
}
