package lb

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/ccm/label"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var update = flag.Bool("update", false, "write the golden files")

// balancerLines says what a load balancer is, one fact a line.
func balancerLines(lb simcloud.LoadBalancer) []string {
	all := []string{fmt.Sprintf("%s %s affinity=%+v max=%d", lb.Scheme, lb.Algorithm, lb.Affinity, lb.MaxTargets)}
	for _, key := range slices.Sorted(maps.Keys(lb.Labels)) {
		all = append(all, "label "+key+"="+lb.Labels[key])
	}
	for _, l := range lb.Listeners {
		all = append(all, Describe(l.ID, l.ListenerConfig)+of(l.Labels))
	}
	for _, target := range lb.Targets {
		all = append(all, "target "+string(target.Instance)+of(target.Labels))
	}
	return all
}

func of(labels map[string]string) string {
	if uid := labels[label.ServiceUID]; uid != "" {
		return ", of " + uid
	}
	return ", of a stranger"
}

// planCase is a way from what there is to what is desired.
type planCase struct {
	name string
	have simcloud.LoadBalancer
	want desired
}

// TestPlanGolden holds plans against testdata/plans: what there is, what is
// desired, and the calls between them. Write them with: go test ./ccm/lb -run TestPlanGolden -update.
func TestPlanGolden(t *testing.T) {
	t.Parallel()
	for _, c := range planCases(t) {
		steps, err := plan(c.have, c.want)
		text := section("have", balancerLines(c.have)) + section("want", lines(c.want)) + section("plan", does(steps))
		if err != nil {
			text += section("problem", []string{err.Error()})
		}
		compareGolden(t, c.name, text)
	}
	joined := built(mustDesire(t, ccmtest.Service(), "i-1"), func(lb *simcloud.LoadBalancer) {
		other := mustDesire(t, ccmtest.Numbered(2), "i-2")
		lb.Labels = map[string]string{"team": "net", userLabel("uid-1"): "default/web", userLabel("uid-2"): "default/svc-2"}
		lb.Listeners = append(lb.Listeners, built(other).Listeners...)
		lb.Targets = append(lb.Targets, built(other).Targets...)
	})
	for name, others := range map[string]bool{"leave": false, "leave-others": true} {
		compareGolden(t, name, section("have", balancerLines(joined))+section("plan", does(planDetach(joined, ccmtest.Cluster, "uid-1", others))))
	}
}

func section(title string, lines []string) string {
	if len(lines) == 0 {
		lines = []string{"(nothing)"}
	}
	return title + ":\n  " + strings.Join(lines, "\n  ") + "\n"
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "plans", name+".golden")
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: it would bless whatever is there")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./ccm/lb -run TestPlanGolden -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func planCases(t *testing.T) []planCase {
	t.Helper()
	web := ccmtest.Service(ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("UDP", 53, 30053)))
	other := ccmtest.Numbered(2, ccmtest.Ports(ccmtest.Port("TCP", 443, 30443)))
	changed := ccmtest.Service(ccmtest.Local, ccmtest.Annotate(annotation.Algorithm, "least_connections"), ccmtest.Ports(ccmtest.Port("TCP", 80, 31080), ccmtest.Port("TCP", 443, 30443)))
	shared := func(edit ...func(*simcloud.LoadBalancer)) simcloud.LoadBalancer {
		lb := built(mustDesire(t, ccmtest.Numbered(2, ccmtest.Together, ccmtest.Ports(ccmtest.Port("TCP", 443, 30443))), "i-1", "i-2"), edit...)
		lb.Labels = label.With(lb.Labels, map[string]string{label.ServiceUID: "share.edge.uid-2"})
		return lb
	}
	join := func(svc string, targets ...simcloud.ID) desired {
		edit := ccmtest.Together
		if svc != "" {
			edit = ccmtest.Adopting(svc)
		}
		want := mustDesire(t, ccmtest.Service(edit, ccmtest.Ports(ccmtest.Port("TCP", 80, 30080), ccmtest.Port("TCP", 443, 31443))), targets...)
		if svc == "" {
			want = want.sharedBy("share.edge.uid-2")
		}
		want.Follows = true
		return want
	}
	foreign := func(lb *simcloud.LoadBalancer) {
		lb.Labels = map[string]string{"team": "net"}
		lb.Algorithm = simcloud.LeastConnections
		for i := range lb.Listeners {
			lb.Listeners[i].Labels = nil
		}
		for i := range lb.Targets {
			lb.Targets[i].Labels = nil
		}
	}
	limit := func(n int) func(*simcloud.LoadBalancer) { return func(lb *simcloud.LoadBalancer) { lb.MaxTargets = n } }
	gone := func(lb *simcloud.LoadBalancer) { delete(lb.Labels, userLabel("uid-2")) }
	return []planCase{
		{"shared-left-behind", shared(gone), join("", "i-2", "i-3")},
		{"same", built(mustDesire(t, web, "i-1", "i-2")), mustDesire(t, web, "i-1", "i-2")},
		{"everything", built(mustDesire(t, web, "i-1", "i-2")), mustDesire(t, changed, "i-2", "i-3")},
		{"shared-join", shared(), join("", "i-1", "i-2", "i-3")},
		{"adopted-join", built(mustDesire(t, other, "i-9"), foreign), join("lb-1", "i-1", "i-2")},
		{"limit-fill", built(mustDesire(t, web, "i-2"), limit(3)), mustDesire(t, web, "i-1", "i-2", "i-3", "i-4")},
		{"limit-exchange", built(mustDesire(t, web, "i-1", "i-2", "i-3"), limit(3)), mustDesire(t, web, "i-3", "i-4", "i-5", "i-6")},
		{"limit-foreign", built(mustDesire(t, other, "i-8", "i-9"), foreign, limit(3)), join("lb-1", "i-1", "i-2", "i-9")},
	}
}
