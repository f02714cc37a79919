package cloud

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// TestConfirm: nothing but a yes is one.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, " yes \n": true, "y": true, "\n": false, "": false, "n\n": false, "yesterday\n": false} {
		var asked bytes.Buffer
		err := confirm(strings.NewReader(answer), &asked, "Really?")
		if (err == nil) != want || asked.String() != "Really? [y/N] " {
			t.Errorf("%q: %v after %q, want consent %v", answer, err, asked.String(), want)
		}
		if err != nil && exit.Report(&bytes.Buffer{}, err) != exit.CodeFailed {
			t.Errorf("%q: exit code %d", answer, exit.Report(&bytes.Buffer{}, err))
		}
	}
}
