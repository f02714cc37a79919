package run_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// marks gives a Node a taint and an annotation, and takes them away again.
const marks = `
  - {patch: {target: node/node-1, patch: {metadata: {labels: {example.org/rack: r1}, annotations: {example.org/note: x}}, spec: {taints: [{key: example.org/draining, effect: NoSchedule}]}}}}
  - {expect: 'tainted(nodes["node-1"], "example.org/draining")', within: 5s}
  - {patch: {target: node/node-1, patch: {metadata: {annotations: null}, spec: {taints: null}}}}
`

// TestVacuousDenials: a scenario that passes warns of each key that it denies and that nothing had, and still passes. A key
// that anything had for a moment, or that Kubernetes defines, has no warning.
func TestVacuousDenials(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps string
		want  []scenarios.Warning
	}{
		"it was there once": {steps: `
  - {expect: '!tainted(nodes["node-1"], "example.org/draining") && !("example.org/note" in nodes["node-1"].metadata.?annotations.orValue({}))', within: 5s}
`},
		"Kubernetes defines it": {steps: `
  - expect: '!tainted(nodes["node-1"], "node.cloudprovider.kubernetes.io/shutdown") && label(nodes["node-1"], "topology.kubernetes.io/zone") == ""'
`},
		"typing errors": {steps: `
  - expect:
    - nodes.size() == 1
    - '!tainted(nodes["node-1"], "example.org/drainig") && label(nodes["node-1"], "example.org/rak") == ""'
    within: 5s
    meanwhile: '!("node.kubernetes.io/windows-buidl" in nodes["node-1"].metadata.labels)'
  - expect: |
      nodes.size() == 1
      && nodes.all(name, !tainted(nodes[name], "example.org/drainig") && !tainted(nodes[name], "example.org/rack"))
`, want: []scenarios.Warning{
			{Position: "s.yaml:14:34", Text: `the taint "example.org/drainig" is denied, but nothing had it at any time of the run: check its spelling ("example.org/draining"?)`},
			{Position: "s.yaml:14:83", Text: `the label "example.org/rak" is denied, but nothing had it at any time of the run: check its spelling ("example.org/rack"?)`},
			{Position: "s.yaml:16:19", Text: `the label "node.kubernetes.io/windows-buidl" is denied, but nothing had it at any time of the run: check its spelling ("node.kubernetes.io/windows-build"?)`},
			{Position: "s.yaml:19:96", Text: `the taint "example.org/rack" is denied, but nothing had it at any time of the run: check its spelling`},
		}},
		"it must never be": {steps: `
  - {expect: 'tainted(nodes["node-1"], "other.example.org/x")', never: 1s}
  - {expect: 'nodes.size() == 1 || !has(nodes["node-1"].metadata.annotations.other)'}
`, want: []scenarios.Warning{
			{Position: "s.yaml:12:40", Text: `the taint "other.example.org/x" is denied, but nothing had it at any time of the run: check its spelling`},
			{Position: "s.yaml:13:77", Text: `the annotation "other" is denied, but nothing had it at any time of the run: check its spelling`},
		}},
		"it is asked for": {steps: `
  - {expect: 'tainted(nodes["node-1"], "example.org/drainig") || nodes.size() == 1'}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := runtest.PerformSpec(t, steptest.NewCluster(t), "nodes: 1\n  ccm: stopped\n  steps:"+marks+test.steps[1:])
				runtest.Passes(t, r)
				if diff := cmp.Diff(test.want, r.Warnings); diff != "" {
					t.Errorf("warnings (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestVacuousDenialsOfAFailure: a scenario that failed says enough.
func TestVacuousDenialsOfAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := runtest.PerformSpec(t, steptest.NewCluster(t), `nodes: 1
  ccm: stopped
  steps:
  - expect: '!tainted(nodes["node-1"], "example.org/drainig")'
  - expect: nodes.size() == 2
`)
		if r.Status != scenarios.Failed || r.Warnings != nil {
			t.Errorf("it is %s with %v", r.Status, r.Warnings)
		}
	})
}
