package embedded

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// requestsOfCCM is the audit policy of a cluster that is given none: what the CCM asks, without what it writes.
// A watch is recorded when it begins, any other request when it is answered.
const requestsOfCCM = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, users: ["` + manager.User + `"]}
- {level: None}
`

// requestsSize is the size in MiB at which the record of the CCM's requests begins again. Config.Audit has no such limit.
const requestsSize = 8

// checkAudit fails when there is no such policy. The API server checks its content.
func (c Config) checkAudit() error {
	if c.Audit == "" {
		return nil
	}
	if _, err := os.Stat(c.Audit); err != nil {
		return simcloud.Errorf(simcloud.Invalid, "backend/embedded", "Audit: %w", err)
	}
	return nil
}

// AuditLog is the path of the file to which the API server writes what the
// policy of Config.Audit asks for: one event (audit.k8s.io/v1) in JSON a line, each
// written before the request that it tells of goes on.
func (b *Backend) AuditLog() string { return b.dir.audit() }

// auditArgs are the flags of an API server that records. Without a policy of the Config it writes its own.
func (p *plane) auditArgs() ([]string, error) {
	policy, size := p.audit, 0
	if policy == "" {
		policy, size = p.dir.auditPolicy(), requestsSize
		if err := os.WriteFile(policy, []byte(requestsOfCCM), 0o600); err != nil {
			return nil, fmt.Errorf("audit policy: %w", err)
		}
	}
	return []string{
		"--audit-policy-file=" + policy, "--audit-log-path=" + p.dir.audit(),
		"--audit-log-mode=blocking", fmt.Sprintf("--audit-log-maxsize=%d", size), "--audit-log-maxbackup=1", "--audit-log-format=json",
	}, nil
}

// Asked lists what the CCM has asked of the API server since a time, as far as the audit policy records it: see
// [github.com/simcloud-dev/simcloud/e2e.Capabilities].
func (b *Backend) Asked(since time.Time) ([]string, error) {
	file, err := os.Open(b.AuditLog())
	if err != nil {
		return nil, fmt.Errorf("requests of the CCM: %w", err)
	}
	defer func() { _ = file.Close() }()
	return asked(file, since)
}

// asked reads an audit log, whose last line can be incomplete.
func asked(log io.Reader, since time.Time) ([]string, error) {
	var all []string
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("requests of the CCM: %w", err)
		}
		var r auditRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("requests of the CCM: %w", err)
		}
		if text := r.text(); text != "" && !r.RequestReceivedTimestamp.Before(since) && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
}

// auditRecord is what is read of an audit event.
type auditRecord struct {
	User                     struct{ Username string }
	Verb                     string
	ObjectRef                *struct{ Resource, Subresource string }
	ResponseStatus           struct{ Code int }
	RequestReceivedTimestamp time.Time
}

// text is the request in words; empty for one that is not the CCM's, or asks only what the API server is.
func (r auditRecord) text() string {
	if r.User.Username != manager.User || r.ObjectRef == nil {
		return ""
	}
	text := r.Verb + " " + strings.TrimSuffix(r.ObjectRef.Resource+"/"+r.ObjectRef.Subresource, "/")
	if code := r.ResponseStatus.Code; code == http.StatusUnauthorized || code == http.StatusForbidden {
		text += fmt.Sprintf(" (%d)", code)
	}
	return text
}

// audit is the audit log, beside those of the processes.
func (l layout) audit() string { return l.log("audit") }

func (l layout) auditPolicy() string { return filepath.Join(string(l), "audit.yaml") }
