package embedded

import (
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
func (b *Backend) AuditLog() string { return filepath.Join(b.dir.logs(), "audit.log") }

// auditArgs are the flags of an API server that records; none without a policy.
func (p *plane) auditArgs() []string {
	if p.audit == "" {
		return nil
	}
	return []string{
		"--audit-policy-file=" + p.audit, "--audit-log-path=" + filepath.Join(p.dir.logs(), "audit.log"),
		"--audit-log-mode=blocking", "--audit-log-maxsize=0", "--audit-log-format=json",
	}
}
