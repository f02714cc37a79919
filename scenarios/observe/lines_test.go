package observe

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestErrorsAreFolded: an error that comes again and again does not push out the one that explains it.
func TestErrorsAreFolded(t *testing.T) {
	t.Parallel()
	refused := func(second int, operation, message string) any {
		return map[string]any{
			"time": fmt.Sprintf("2026-01-01T10:00:%02dZ", second), "at": float64(second) + 0.25, "operation": operation, "resource": "instance/i-9",
			"status": 404, "code": "not_found", "message": message, "fault": "",
		}
	}
	calls := []any{refused(0, "CreateLoadBalancer", "no such network")}
	for second := 1; second < 40; second++ {
		calls = append(calls, refused(second, "GetInstance", "no such instance"))
	}
	calls = append(calls, refused(41, "GetInstance", "another reason"))
	_, failed := CallLines(calls)
	if diff := cmp.Diff([]string{
		"10:00:00.000 (+0.2s) CreateLoadBalancer instance/i-9 → 404 not_found no such network",
		"10:00:01.000 (+1.2s) GetInstance instance/i-9 → 404 not_found no such instance (39 times, the last at 10:00:39.000 (+39.2s))",
		"10:00:41.000 (+41.2s) GetInstance instance/i-9 → 404 not_found another reason",
	}, failed); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestCallsAreNamedAsTheirClientsKnowThem: no line of a failure says "Unknown" of a call, nor an id that the client has never seen alone.
func TestCallsAreNamedAsTheirClientsKnowThem(t *testing.T) {
	t.Parallel()
	lines, failed := CallLines([]any{
		CallValue(simcloud.JournalEntry{Operation: "Unknown", Name: "aws:credentials:GetCredentials", Status: 200}, 0),
		CallValue(simcloud.JournalEntry{Operation: "Unknown", Name: "aws:credentials:GetCredentials", Status: 200}, 0),
		CallValue(simcloud.JournalEntry{Operation: "ListInstances", Name: "aws:ec2:DescribeInstances", Resource: "instance", Status: 200}, 0),
		CallValue(simcloud.JournalEntry{
			Operation: "DeleteLoadBalancer", Name: "openstack:octavia:DeleteLoadBalancer", Write: true, Resource: "load_balancer/lb-1", ShownID: "0-4", Status: 204,
		}, 0),
		CallValue(simcloud.JournalEntry{Operation: "Unknown", Name: "aws:ec2:DescribeTags", Status: 400, Code: simcloud.Unimplemented, Message: "no"}, 0),
	})
	if diff := cmp.Diff([]string{
		"00:00:00.000 (+0.0s) openstack:octavia:DeleteLoadBalancer load_balancer/lb-1 (0-4) → 204 ok",
		"aws:credentials:GetCredentials, 2 times",
		"aws:ec2:DescribeInstances (ListInstances) instance, once",
	}, lines); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"00:00:00.000 (+0.0s) aws:ec2:DescribeTags → 400 unimplemented no"}, failed); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
