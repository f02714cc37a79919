package cloud

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestDiffShowsValues: a text is itself, all else is JSON, a value that a state lacks is empty, and a long one is cut.
func TestDiffShowsValues(t *testing.T) {
	t.Parallel()
	change := simcloud.SnapshotChange{Resource: "lb/lb-1", Type: simcloud.Updated, Name: "web", Fields: []simcloud.FieldChange{
		{Path: "state", Was: "active", Is: "error"},
		{Path: "listeners[80].targets", Is: []any{"i-1", 2.0}},
		{Path: "statusText", Was: strings.Repeat("ä", maxValue+1), Is: strings.Repeat("ä", maxValue)},
	}}
	var out bytes.Buffer
	if err := snapshotDiffTable.List(&out, output.FormatWide, snapshotRows([]simcloud.SnapshotChange{change})); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		got = append(got, strings.Fields(line)[3:])
	}
	for i, want := range [][]string{
		{"state", "active", "error"},
		{"listeners[80].targets", "-", `["i-1",2]`},
		{"statusText", strings.Repeat("ä", maxValue-1) + "…", strings.Repeat("ä", maxValue)},
	} {
		if i >= len(got) || strings.Join(got[i], "|") != strings.Join(want, "|") {
			t.Errorf("row %d is not %q:\n%s", i, want, out.String())
		}
	}
}
