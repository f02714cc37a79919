package embedded

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/manager"
)

// TestAsked: what the CCM asks is listed once, without what others ask and what came before; an incomplete line is left out.
func TestAsked(t *testing.T) {
	t.Parallel()
	record := func(at, user, verb, object string, code string) string {
		return `{"kind": "Event", "user": {"username": "` + user + `"}, "verb": "` + verb + `", "requestReceivedTimestamp": "2026-11-26T08:00:0` + at + `.123456Z",` +
			object + `"responseStatus": {"code": ` + code + "}}\n"
	}
	const nodes, status = `"objectRef": {"resource": "nodes"},`, `"objectRef": {"resource": "services", "subresource": "status"},`
	log := record("0", manager.User, "delete", nodes, "200") + record("1", manager.User, "list", nodes, "403") + record("2", "system:admin", "create", nodes, "201") +
		record("3", manager.User, "watch", nodes, "200") + record("4", manager.User, "get", "", "200") + record("5", manager.User, "patch", status, "409") +
		record("6", manager.User, "list", nodes, "403") + strings.TrimSuffix(record("7", manager.User, "update", nodes, "200"), "}\n")
	got, err := asked(strings.NewReader(log), time.Date(2026, 11, 26, 8, 0, 1, 0, time.UTC))
	if diff := cmp.Diff([]string{"list nodes (403)", "watch nodes", "patch services/status"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := asked(strings.NewReader("no JSON\n"), time.Time{}); err == nil {
		t.Error("a file that is no audit log was read")
	}
}

// TestAuditArgs: without a policy the CCM's requests are recorded, with an end; with one its own.
func TestAuditArgs(t *testing.T) {
	t.Parallel()
	p := plane{dir: layout(t.TempDir())}
	args, err := p.auditArgs()
	if err != nil {
		t.Fatal(err)
	}
	policy, err := os.ReadFile(p.dir.auditPolicy())
	if err != nil || !strings.Contains(string(policy), manager.User) || !slices.Contains(args, "--audit-policy-file="+p.dir.auditPolicy()) || !slices.Contains(args, "--audit-log-maxsize=8") {
		t.Errorf("%v: %s\n%s", err, args, policy)
	}
	p.audit = "/mine.yaml"
	if args, err = p.auditArgs(); err != nil || !slices.Contains(args, "--audit-policy-file=/mine.yaml") || !slices.Contains(args, "--audit-log-maxsize=0") {
		t.Errorf("%v: %s", err, args)
	}
}
