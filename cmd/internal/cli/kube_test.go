package cli

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

func TestKubeRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"kube"}, exit.CodeOK, ""},
		{[]string{"kube", "frob"}, exit.CodeUsage, `no command "frob"`},
		{[]string{"kube", "pth"}, exit.CodeUsage, "did you mean path?"},
		{[]string{"kube", "path", "extra"}, exit.CodeUsage, "takes no arguments"},
	} {
		if code, _, errs := simcloudMain(c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: code %d, %s; want %d and %q", c.args, code, errs, c.code, c.says)
		}
	}
}
