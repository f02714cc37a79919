package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
)

// docsAreRight runs the commands of docs/deploying.md.
func docsAreRight(t *testing.T, c *e2e.Cluster) {
	raw, err := os.ReadFile("../../docs/deploying.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(raw), -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				runDocumented(t, c, strings.Fields(command))
				ran++
			}
		}
	}
	beside := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(string(raw))
	if ran != 5 || beside == nil {
		t.Fatalf("%d commands and the shell block %q: want 5 and one", ran, beside)
	}
	runBeside(t, c, strings.Fields(strings.ReplaceAll(beside[1], "\\\n", "")))
}

// runDocumented runs a command in the root of the source.
func runDocumented(t *testing.T, c *e2e.Cluster, words []string) {
	t.Helper()
	switch words[0] {
	case "kubectl":
		for i, word := range words {
			if strings.HasPrefix(word, "ccm/deploy/") {
				words[i] = strings.Replace(word, "ccm/deploy", ".", 1)
			}
		}
		kubectl(t, append([]string{"--kubeconfig", c.Kubeconfig}, words[1:]...)...)
	case "go":
		// The image of the binary that is there, since building another takes a minute.
		words = append(words, "-binary", c.CCM.Spec().Path, "-o", filepath.Join(t.TempDir(), "image.tar"))
		cmd := exec.CommandContext(t.Context(), "go", words[1:]...)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", words, err, out)
		}
	default:
		t.Errorf("this test cannot run %q", words)
	}
}

// runBeside runs the provider outside of the cluster until it leads.
func runBeside(t *testing.T, c *e2e.Cluster, words []string) {
	t.Helper()
	if err := c.CCM.Configure(control.Settings{}); err != nil {
		t.Fatal(err)
	}
	command := strings.NewReplacer("FILE", c.CCM.Kubeconfig(), "cloud-config.yaml", c.CCM.CloudConfig(), "=NAME", "=documented", "=CIDR", "="+e2e.ClusterCIDR)
	for i := range words {
		words[i] = command.Replace(words[i])
	}
	words = append(words[1:], "--bind-address=127.0.0.1", "--secure-port=0")
	process := exec.CommandContext(t.Context(), c.CCM.Spec().Path, append(words, longLease...)...)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	leads(t, c, ownLease(t), "")
	hollowNode(t, c, "node-1")
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("%v, want exit code 0", err)
	}
}
