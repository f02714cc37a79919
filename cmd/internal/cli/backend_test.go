package cli

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// TestBackendFlags: what cannot be right is told before anything is started,
// with exit code 2; a variable of another backend's flag stands for the day that it is asked for.
func TestBackendFlags(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SIMCLOUD_NODE_IMAGE", "mine:1")
	for _, command := range []string{"up", "test"} {
		for _, test := range []struct {
			args []string
			says string
		}{
			{[]string{"--backend", "minikube"}, `--backend "minikube" is not one of: embedded, kind`},
			{[]string{"--backend", "kind", "--engine", "lxc"}, `--engine "lxc" is not one of: docker, podman, nerdctl`},
			{[]string{"--backend", "kind", "--ccm-mode", "pod"}, `--ccm-mode "pod" is not one of: process, deployment, daemonset`},
			{[]string{"--ccm-mode", "deployment"}, "--ccm-mode goes with --backend kind alone, and this is --backend embedded"},
			{[]string{"--engine", "docker"}, "--engine goes with --backend kind alone"},
			{[]string{"--node-image", "mine:1"}, "--node-image goes with --backend kind alone"},
			{[]string{"--kube", "/no/such/kube", "--ccm", "none"}, "/no/such/kube"}, // so far it comes
		} {
			code, _, errs := simcloudMain(append([]string{command}, test.args...)...)
			if code != exit.CodeUsage || !strings.Contains(errs, test.says) {
				t.Errorf("%s %v: code %d, %q; want 2 and %q", command, test.args, code, errs, test.says)
			}
		}
	}
}
