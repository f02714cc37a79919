package step_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// addPod puts a pod of the app web into the fake cluster.
func addPod(t *testing.T, c *steptest.Cluster, name, phase string, leaving bool) {
	t.Helper()
	metadata := map[string]any{"name": name, "namespace": "test-one", "uid": name, "labels": map[string]any{"app": "web"}}
	if leaving {
		metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		metadata["finalizers"] = []any{"a/b"}
	}
	pod := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": map[string]any{"phase": phase},
	}}
	if err := c.Kube.Tracker().Create(observe.Watched[1].GVR, pod, "test-one"); err != nil {
		t.Fatal(err)
	}
}

func TestExec(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for step, want := range map[string]struct {
			answers []steptest.End
			did     string
			says    string
		}{
			`{pod: "web-${ns}", container: c, command: [get, "http://${ns}"]}`: {
				nil, "{Namespace:test-one Pod:web-test-one Container:c Command:[get http://test-one]}", "",
			},
			`{pod: {app: web}, command: [x], capture: x, expect: 'x == {"exitCode": 3, "stdout": "out", "stderr": "err", "pod": "web-2"}'}`: {
				[]steptest.End{{PodResult: step.PodResult{ExitCode: 3, Stdout: "out", Stderr: "err"}, Err: nil}}, "{Namespace:test-one Pod:web-2 Container: Command:[x]}", "",
			},
			`{pod: {app: "${ns}"}, command: [x]}`: {nil, "", "no pod with app=${ns} runs"},
			`{pod: a, command: [x]}`: {
				[]steptest.End{{PodResult: step.PodResult{ExitCode: 3, Stdout: "out", Stderr: "no such host\n"}, Err: nil}}, "{Namespace:test-one Pod:a Container: Command:[x]}", "the command ended with 3: no such host",
			},
			`{pod: a, command: [x], within: 30s}`: {
				[]steptest.End{{Err: errors.New("no kubelet")}, {PodResult: step.PodResult{ExitCode: 1}}, {}},
				strings.Repeat("{Namespace:test-one Pod:a Container: Command:[x]} ", 3), "",
			},
			`{pod: a, command: [x], capture: x}`: {
				[]steptest.End{{Err: errors.New("no kubelet")}}, "{Namespace:test-one Pod:a Container: Command:[x]}", "run it in the pod a: no kubelet",
			},
		} {
			c := steptest.NewCluster(t)
			addPod(t, c, "web-0", "Pending", false)
			addPod(t, c, "web-1", "Running", true)
			addPod(t, c, "web-2", "Running", false)
			c.Pods.Answers = want.answers
			r := packets(t, c, "  - exec: "+step+"\n")
			if want.says == "" {
				runtest.Passes(t, r)
			} else {
				runtest.Fails(t, r, want.says)
			}
			if got := strings.Join(c.Pods.Did, " "); got != strings.TrimSpace(want.did) {
				t.Errorf("%s: it was told\n%s, want\n%s", step, got, want.did)
			}
		}
	})
}
