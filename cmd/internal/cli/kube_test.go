package cli

import (
	"strings"
	"testing"
)

func TestKubeRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"kube"}, exitOK, ""},
		{[]string{"kube", "frob"}, exitUsage, `no command "frob"`},
		{[]string{"kube", "pth"}, exitUsage, "did you mean path?"},
		{[]string{"kube", "path", "extra"}, exitUsage, "takes no arguments"},
	} {
		if code, _, errs := simcloudMain(c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: code %d, %s; want %d and %q", c.args, code, errs, c.code, c.says)
		}
	}
}
