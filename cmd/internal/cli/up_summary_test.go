package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// TestSummaryLinksTheConsole: a terminal gets a link that logs in, and what may be kept gets no token.
func TestSummaryLinksTheConsole(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := sandbox.State{Name: "mine", Endpoint: "http://127.0.0.1:1", TokenFile: file}
	if got := consoleOf(state, true); got != "http://127.0.0.1:1/#token=secret-1" {
		t.Errorf("a terminal shows %q", got)
	}
	var out strings.Builder
	printSummary(&out, state)
	want := `console     http://127.0.0.1:1/ ("simcloud console --sandbox mine" prints a link that logs in)`
	if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "secret-1") {
		t.Errorf("it prints\n%s\nwant\n%s", out.String(), want)
	}
}
