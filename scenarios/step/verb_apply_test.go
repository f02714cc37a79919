package step_test

import (
	"testing"
	"testing/synctest"

	"github.com/simcloud-dev/simcloud/scenarios/run/runtest"
	"github.com/simcloud-dev/simcloud/scenarios/step/steptest"
)

// TestServiceAnnotations: a Service that is applied gets the annotations of the profile that it does not have, and
// nothing else gets them.
func TestServiceAnnotations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := steptest.NewCluster(t)
		c.ServiceAnnotations = map[string]string{"kind": "network", "color": "red"}
		runtest.Passes(t, runtest.Perform(t, c, `
  - apply: |
      {apiVersion: v1, kind: Service, metadata: {name: web, annotations: {color: blue, own: yes-it-is}}, spec: {ports: [{port: 80}]}}
      ---
      {apiVersion: v1, kind: Service, metadata: {name: plain}, spec: {ports: [{port: 80}]}}
      ---
      {apiVersion: v1, kind: Pod, metadata: {name: pod}, spec: {containers: [{name: c, image: i}]}}
  - within: 5s
    expect:
    - 'services["web"].metadata.annotations == {"kind": "network", "color": "blue", "own": "yes-it-is"}'
    - 'services["plain"].metadata.annotations == {"kind": "network", "color": "red"}'
    - '!has(pods["pod"].metadata.annotations)'
`))
	})
}
