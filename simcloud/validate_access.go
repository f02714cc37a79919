package simcloud

import (
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strings"
	"time"
)

// Validate checks the spec.
func (s ProjectSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindProject), f)
}

// Validate checks the update.
func (u ProjectUpdate) Validate() error {
	return validateUpdate(KindProject, nil, u.Labels)
}

// maxLifetime is how long a token may be good, and its old secret beside the new one.
const maxLifetime = 10 * 365 * 24 * time.Hour

// Validate checks the spec.
func (s TokenSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	if s.Project != "" {
		f.name("project", string(s.Project))
	}
	oneOf(&f, "role", s.Role, RoleReader, RoleWriter, RoleAdmin)
	f.labels("labels", s.Labels)
	f.duration("lifetime", s.Lifetime, maxLifetime)
	return InvalidFields(string(KindToken), f)
}

// Validate checks the rotation.
func (r TokenRotation) Validate() error {
	var f fieldErrors
	f.duration("grace", r.Grace, maxLifetime)
	f.duration("lifetime", r.Lifetime, maxLifetime)
	return InvalidFields(string(KindToken), f)
}

func (f *fieldErrors) duration(field string, d Duration, longest time.Duration) {
	if d < 0 || time.Duration(d) > longest {
		f.add(field, "%s must be between 0s and %s", d, longest)
	}
}

// Validate checks the limit.
func (s QuotaSpec) Validate() error {
	var f fieldErrors
	if s.Limit < Unlimited {
		f.add("limit", "%d must not be below 0, except %d: no limit", s.Limit, Unlimited)
	}
	return InvalidFields(string(KindQuota), f)
}

// Validate checks the spec.
func (s SSHKeySpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	if _, ok := sshKeyBlob(s.PublicKey); !ok {
		f.add("publicKey", "must be one line such as \"ssh-ed25519 AAAA... me@here\"")
	} else {
		f.printable("publicKey", s.PublicKey)
	}
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindSSHKey), f)
}

// maxPublicKey is the longest public key, in bytes.
const maxPublicKey = 16 << 10

// sshKeyBlob returns what stands in a public key in base64: its type, with its
// length before it, and the key itself (RFC 4253, section 6.6).
func sshKeyBlob(line string) (blob []byte, ok bool) {
	words := strings.Fields(line)
	if len(words) < 2 || len(line) > maxPublicKey || strings.ContainsAny(line, "\r\n") {
		return nil, false
	}
	blob, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil || len(blob) < 4 {
		return nil, false
	}
	typ := blob[4:]
	if n := binary.BigEndian.Uint32(blob); uint64(n) < uint64(len(typ)) {
		return blob, string(typ[:n]) == words[0]
	}
	return nil, false
}

// Validate checks the update.
func (u SSHKeyUpdate) Validate() error {
	return validateUpdate(KindSSHKey, u.Name, u.Labels)
}

// Validate checks which instances are meant.
func (t SSHKeyTargets) Validate() error {
	var f fieldErrors
	if (len(t.Instances) == 0) != t.All {
		f.add("instances", "exactly one of instances and all must be set")
	}
	f.distinct("instances", t.Instances)
	return InvalidFields(string(KindSSHKey), f)
}

// Validate checks the spec.
func (s ClusterSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.endpoint("endpoint", s.Endpoint)
	f.labels("labels", s.Labels)
	return InvalidFields(string(KindCluster), f)
}

// Validate checks the update.
func (u ClusterUpdate) Validate() error {
	var f fieldErrors
	if u.Endpoint != nil {
		f.endpoint("endpoint", *u.Endpoint)
	}
	f.nameAndLabels(nil, u.Labels)
	return InvalidFields(string(KindCluster), f)
}

func (f *fieldErrors) endpoint(field, text string) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		f.add(field, "%q is not a URL such as https://10.0.0.1:6443", text)
		return
	}
	f.printable(field, text)
}
