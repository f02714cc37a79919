package run

import (
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestNamespaceOf: each scenario of a matrix has a namespace of its own, which its repetitions share.
func TestNamespaceOf(t *testing.T) {
	t.Parallel()
	s := &scenarios.Scenario{Name: "lb[code=unavailable,loses=answer]", Base: "lb"}
	other := &scenarios.Scenario{Name: "lb[code=unavailable,loses=call]", Base: "lb"}
	if namespaceOf(s) == namespaceOf(other) || namespaceOf(s) != namespaceOf(s.Repeated(3)) || len(namespaceOf(s)) > 63 {
		t.Errorf("namespaces %s, %s, %s", namespaceOf(s), namespaceOf(other), namespaceOf(s.Repeated(3)))
	}
}
