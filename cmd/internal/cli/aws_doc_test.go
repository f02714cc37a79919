package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/subject"
)

// TestAWSSandbox runs the blocks of docs/aws.md that are about a sandbox, in one shell, as a user does who pastes them.
func TestAWSSandbox(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "TestDocumentedCommandsExist holds its commands and flags, TestSandbox the annotations, TestCoreWithAWS the CCM")
	of, err := subject.Find("aws")
	if err != nil {
		t.Fatal(err)
	}
	if _, built := of.Built(); !built {
		t.Skipf("%s is needed, which \"make subject-aws\" builds", of.Title)
	}
	b := buildBinaries(t)
	planetest.Slot(t)
	var blocks []string
	for _, block := range codeBlocks(t, "../../../docs/aws.md", "sh") {
		if !strings.Contains(block, "simcloud test") { // those run the scenarios
			blocks = append(blocks, block)
		}
	}
	script := strings.Join(blocks, "\n")
	if !strings.Contains(script, "simcloud up --detach --profile aws-nlb") {
		t.Fatalf("docs/aws.md has no sandbox:\n%s", script)
	}
	t.Cleanup(func() { _ = b.command("simcloud", "down").Run() })

	cmd := exec.CommandContext(t.Context(), "bash", "-euxo", "pipefail", "-c", script)
	cmd.Env = append(b.env, "SIMCLOUD_TIMEOUT="+upTimeout.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "lb-3 ") {
		t.Errorf("after a lost answer there is a load balancer more than Services:\n%s", out)
	}
	for _, want := range []string{".elb.region-1.amazonaws.com", " network ", "tcp:80->tg-1", "elbv2:CreateTargetGroup", "lb-2"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands do not show %q:\n%s", want, out)
		}
	}
}
