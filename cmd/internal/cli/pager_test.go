//go:build linux

package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestPager: the journal and -o wide go through PAGER where they do not fit on the terminal.
func TestPager(t *testing.T) {
	t.Parallel()
	cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		entry := `{"seq":%d,"operation":"ListZones","status":200}`
		fmt.Fprintf(w, `{"items":[`+entry+","+entry+","+entry+`]}`, 1, 2, 3)
	}))
	t.Cleanup(cloud.Close)
	const reads = "echo $LESS; sed s/^/paged:/"
	for name, test := range map[string]struct {
		rows, columns uint16
		pager         string
		args          string
		paged         bool
	}{
		"more lines than the terminal": {3, 200, reads, "journal", true},
		"as many lines as fit":         {5, 200, reads, "journal", false},
		"trimmed":                      {10, 80, reads, "journal", false},
		"wider than the terminal":      {10, 80, reads, "journal -o wide", true},
		"not a table":                  {3, 20, reads, "journal -o json", false},
		"no pager":                     {3, 80, "", "journal -o wide", false},
		"a pager that there is not":    {3, 80, "/no/such/pager", "journal -o wide", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(token, []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			inner, seen := openTerminal(t, test.rows, test.columns)
			cmd := exec.CommandContext(t.Context(), "simcloud", strings.Fields(test.args)...)
			cmd.Env = append(os.Environ(), "SIMCLOUD_ENDPOINT="+cloud.URL, "SIMCLOUD_TOKEN_FILE="+token, "PAGER="+test.pager, "LESS=", "TERM=dumb")
			cmd.Stdout, cmd.Stderr = inner, inner
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, seen.all())
			}
			shown := 3 // calls, each by its operation for want of a name
			if strings.HasSuffix(test.args, "wide") {
				shown *= 2 // which has a column of its own
			}
			waittest.For(t, "the last call", func() bool { return strings.Count(seen.all(), "ListZones") == shown })
			if got := seen.has("FRSX") && strings.Count(seen.all(), "paged:") >= 4; got != test.paged {
				t.Errorf("paged is %v, want %v:\n%s", got, test.paged, seen.all())
			}
		})
	}
}
