package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// TestStatusTable: the cloud has what is unusual about it, and a node its zone, and a taint once that has two effects.
func TestStatusTable(t *testing.T) {
	t.Parallel()
	node := &corev1.Node{}
	for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: effect})
	}
	status := sandboxStatus{
		State: sandbox.State{Name: "default", Phase: sandbox.PhaseReady, Endpoint: "http://127.0.0.1:1", Machines: []machine.Status{{Name: "node-1", State: machine.Running}}},
		Cloud: cloudStatus{Unusual: &cloud.Unusual{
			ZonesDown: []simcloud.ID{"zone-a"}, FaultsActive: []string{"lost"}, Clock: simcloud.ClockStatus{ClockSpec: simcloud.ClockSpec{Mode: simcloud.ClockManual}},
		}},
		Nodes: []nodeRow{{Name: "node-1", Status: nodeStatus(node), Zone: "zone-a", ProviderID: "simcloud://region-1/i-1"}, {Name: "node-2", Status: "NotReady"}},
	}
	var out bytes.Buffer
	if err := status.printTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"CLOUD          http://127.0.0.1:1, 1 zone down, 1 fault active, clock manual\n",
		"NODE    STATUS                MACHINE  ZONE    PROVIDER ID\n",
		"node-1  NotReady,unreachable  running  zone-a  simcloud://region-1/i-1\n",
		"node-2  NotReady              off      -       -\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in it:\n%s", want, out.String())
		}
	}
}

// TestStatusAsksTheCloud: the cloud of a sandbox is asked, and one that does not answer is told as such.
func TestStatusAsksTheCloud(t *testing.T) {
	t.Parallel()
	running, c := simtest.Open(t)
	if _, err := c.SetZoneState(t.Context(), "zone-a", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(running.Token()), 0o600); err != nil {
		t.Fatal(err)
	}
	status := sandboxStatus{Cloud: askCloud(t.Context(), sandbox.State{Endpoint: running.URL(), TokenFile: token})}
	var out bytes.Buffer
	if err := status.print(&out, output.FormatJSON); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Cloud struct {
			ZonesDown []string
			Clock     struct{ Mode string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &read); err != nil || !slices.Equal(read.Cloud.ZonesDown, []string{"zone-a"}) || read.Cloud.Clock.Mode != "real" {
		t.Errorf("the cloud is %+v (%v)", read.Cloud, err)
	}
	if got := askCloud(t.Context(), sandbox.State{Endpoint: running.URL(), TokenFile: token + ".none"}).describe("URL"); !strings.HasPrefix(got, "URL, does not answer: ") {
		t.Errorf("a cloud without a token is described as %q", got)
	}
}
