package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestLogExcerpt: a failure shows the lines of the log about its objects, however much was logged after them, and equal
// lines once.
func TestLogExcerpt(t *testing.T) {
	t.Parallel()
	about := scenarios.Failure{Step: `expect within 30s: services["web"].status != null`, Expression: `services["web"].status != null`}
	log := []string{
		"I1126 08:00:00.100000    7 start.go:1] begin",
		`E1126 08:00:01.100000    7 controller.go:4] "cannot make it" service="default/web"`,
		`I1126 08:00:01.200000    7 controller.go:4] "done" service="default/web-2"`,
	}
	for i := range 4 {
		log = append(log, fmt.Sprintf(`E1126 08:00:%02d.300000    7 ca.go:246] "no CA"`, i+2), fmt.Sprintf("I1126 08:00:%02d.400000    7 other.go:%d] other", i+2, i))
	}
	want := []string{
		"(5 more)",
		`E1126 08:00:01.100000    7 controller.go:4] "cannot make it" service="default/web"`,
		`E1126 08:00:05.300000    7 ca.go:246] "no CA" … 4 times`,
		"I1126 08:00:05.400000    7 other.go:3] other",
	}
	if diff := cmp.Diff(want, logExcerpt(log, namesOf(about), 3)); diff != "" {
		t.Errorf("the excerpt (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"(6 more)", want[2], want[3]}, logExcerpt(log, nil, 2)); diff != "" {
		t.Errorf("about nothing (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(log[:3], logExcerpt(log[:3], namesOf(about), 3)); diff != "" {
		t.Errorf("a short log (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"web", "node-1"}, namesOf(scenarios.Failure{Step: "delete service/web node/node-1"})); diff != "" {
		t.Errorf("names of a step (-want +got):\n%s", diff)
	}
	for _, header := range []string{"time=\"2026-11-26T08:00:0%dZ\" ", "2026-11-26T08:00:0%d.5+0100 ", "2026/11/26 08:00:0%d "} {
		lines := []string{fmt.Sprintf(header+"same", 1), fmt.Sprintf(header+"same", 2)}
		if got := collapsed(lines); len(got) != 1 || got[0] != lines[1]+" … 2 times" {
			t.Errorf("%q are %q", lines, got)
		}
	}
}

// TestCCMThatDoesNothing: a CCM that has not called the cloud is named in the failure, with what it has done instead.
func TestCCMThatDoesNothing(t *testing.T) {
	t.Parallel()
	const says = "it has made no call to the cloud, and logged nothing: check its command line"
	asking := func(requests []string, err error) func(time.Time) ([]string, error) {
		return func(time.Time) ([]string, error) { return requests, err }
	}
	call := []any{map[string]any{"operation": "ListInstances"}}
	many := strings.Fields("a b c d e f g h i j")
	for name, test := range map[string]struct {
		ccm   *steptest.CCM
		calls []any
		asked func(time.Time) ([]string, error)
		want  string
	}{
		"nothing":              {&steptest.CCM{Runs: true, Silent: true}, nil, nil, says},
		"nothing recorded":     {&steptest.CCM{Runs: true, Silent: true}, nil, asking(nil, simcloud.Unimplemented), says},
		"a log":                {&steptest.CCM{Runs: true}, nil, nil, ""},
		"a call":               {&steptest.CCM{Runs: true, Silent: true}, call, asking(many, nil), ""},
		"not started":          {&steptest.CCM{Silent: true}, nil, asking(many, nil), "none is running"},
		"no request, no log":   {&steptest.CCM{Runs: true, Silent: true}, nil, asking(nil, nil), "it has made no call to the cloud or the API server, and logged nothing: check its command line"},
		"no request, but logs": {&steptest.CCM{Runs: true}, nil, asking(nil, nil), "it has made no call to the cloud or the API server: see its log"},
		"requests":             {&steptest.CCM{Runs: true}, nil, asking([]string{"list nodes (403)", "get leases"}, nil), "it has made no call to the cloud; it asked the API server to list nodes (403), get leases"},
		"many requests":        {&steptest.CCM{Runs: true}, nil, asking(many, nil), "it has made no call to the cloud; it asked the API server to a, b, c, d, e, f, g, h and 2 more"},
	} {
		st := &step.Stage{World: step.World{CCM: test.ccm, Asked: test.asked}, Scenario: &scenarios.Scenario{}, Store: observe.NewStore("default")}
		st.Store.Current.Calls = test.calls
		if got := ccmTrouble(st); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestVerdictShowsTheLog: the verdict of an oracle shows what the CCM logged in this scenario about the things that it names.
func TestVerdictShowsTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := steptest.NewCluster(t)
		cluster := loggingCluster{fake, []string{filepath.Join(fake.Dir, "ccm.log")}}
		cluster.log(t, `I1126 08:00:00.100000    7 lb.go:1] "earlier" id="lb-2"`)
		fake.After("CreateLoadBalancer", func(map[string]any) error {
			_, err := fake.Cloud.CCM.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "a0123"})
			for _, line := range []string{`1 lb.go:1] "making" name="a0123"`, `2 lb.go:2] "made" id="lb-2"`, `3 lb.go:2] "made" id="lb-2"`, `4 lb.go:2] "made" id="lb-20"`, `5 node.go:1] "other"`} {
				cluster.log(t, "I1126 08:00:01.00000"+line[:1]+"    7"+line[1:])
			}
			return err
		})
		report, out, err := runAll(t, t.Context(), Runner{Open: func(context.Context, int) (Cluster, error) { return cluster, nil }}, parsedScenario(t, "one", ""))
		if err != nil || len(report.Scenarios[0].Failures) != 2 {
			t.Fatalf("%v\n%s", err, out)
		}
		want := []string{`I1126 08:00:01.000001    7 lb.go:1] "making" name="a0123" of ccm.log`, `I1126 08:00:01.000003    7 lb.go:2] "made" id="lb-2" of ccm.log … 2 times`}
		for _, f := range report.Scenarios[0].Failures {
			if diff := cmp.Diff(want, f.CCMLog); diff != "" {
				t.Errorf("the log of %s (-want +got):\n%s", f.Oracle, diff)
			}
		}
		if strings.Count(out, "lines of the CCM log about it:\n") != 2 {
			t.Errorf("the verdicts have no log:\n%s", out)
		}
	})
}
