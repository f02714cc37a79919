package oracle

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestCallsThatAskWhoCalls: they are not counted, unless they fail.
func TestCallsThatAskWhoCalls(t *testing.T) {
	t.Parallel()
	o := newBudgetOracle(nil)
	for _, e := range []simcloud.JournalEntry{
		{Operation: "Unknown", DialectOperation: "credentials:GetCredentials"},
		{Operation: "Unknown", DialectOperation: "ec2:DescribeVolumes", Code: simcloud.Unimplemented},
		{Operation: "GetInstance"},
	} {
		o.CallEnded(e, false)
	}
	if len(o.calls) != 1 || o.calls["GetInstance"] != 1 || len(o.failed) != 1 || o.failed["Unknown"]["unimplemented"] != 1 {
		t.Errorf("it has counted %v, and of those that failed %v", o.calls, o.failed)
	}
}

// TestSmallPages: a list whose pages a fault has made smaller has not failed; one that a fault has delayed has.
func TestSmallPages(t *testing.T) {
	t.Parallel()
	o := newBudgetOracle(nil)
	o.CallEnded(simcloud.JournalEntry{Operation: "ListInstances", Fault: "fault-1", Effect: "page"}, false)
	o.CallEnded(simcloud.JournalEntry{Operation: "ListInstances", Fault: "fault-2", Effect: "delay"}, false)
	if o.calls["ListInstances"] != 1 || o.failed["ListInstances"].total() != 1 {
		t.Errorf("it has counted %v, and of those that failed %v", o.calls, o.failed)
	}
}
