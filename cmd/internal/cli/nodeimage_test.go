package cli

import (
	"strings"
	"testing"
)

func TestNodeImageRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"node-image"}, exitOK, ""},
		{[]string{"node-image", "bild"}, exitUsage, "did you mean build?"},
		{[]string{"node-image", "path", "extra"}, exitUsage, "takes no arguments"},
		{[]string{"node-image", "delete"}, exitUsage, "IMAGE"},
		{[]string{"node-image", "delete", "kindest/node:v1"}, exitUsage, "simcloud-node:<hash>"},
		{[]string{"node-image", "delete", "simcloud-node:0123"}, exitFailed, "no such image"},
		{[]string{"node-image", "list", "-o", "xml"}, exitUsage, `"xml" is not one of`},
	} {
		if code, _, errs := simcloudMain(c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: code %d, %s; want %d and %q", c.args, code, errs, c.code, c.says)
		}
	}
	if code, out, errs := simcloudMain("node-image", "list"); code != exitOK || !strings.HasPrefix(out, "IMAGE") {
		t.Errorf("code %d, %q, %s; want an empty list", code, out, errs)
	}
}
