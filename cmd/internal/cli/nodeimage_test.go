package cli

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

func TestNodeImageRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"node-image"}, exit.CodeOK, ""},
		{[]string{"node-image", "bild"}, exit.CodeUsage, "did you mean build?"},
		{[]string{"node-image", "path", "extra"}, exit.CodeUsage, "takes no arguments"},
		{[]string{"node-image", "delete"}, exit.CodeUsage, "IMAGE"},
		{[]string{"node-image", "delete", "kindest/node:v1"}, exit.CodeUsage, "simcloud-node:<hash>"},
		{[]string{"node-image", "delete", "simcloud-node:0123"}, exit.CodeFailed, "no such image"},
		{[]string{"node-image", "list", "-o", "xml"}, exit.CodeUsage, `"xml" is not one of`},
	} {
		if code, _, errs := simcloudMain(c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: code %d, %s; want %d and %q", c.args, code, errs, c.code, c.says)
		}
	}
	if code, out, errs := simcloudMain("node-image", "list"); code != exit.CodeOK || !strings.HasPrefix(out, "IMAGE") {
		t.Errorf("code %d, %q, %s; want an empty list", code, out, errs)
	}
}
