package simcloud

import (
	"crypto/sha256"
	"encoding/base64"
)

// MaxSSHKeys is how many keys an instance takes.
const MaxSSHKeys = 64

// SSHKey is a public key that instances let in.
type SSHKey struct {
	Meta
	// PublicKey is one line of an authorized_keys file.
	PublicKey string `json:"publicKey"`
	// Fingerprint is as ssh-keygen -l shows it: "SHA256:...".
	Fingerprint string `json:"fingerprint"`
}

// SSHKeySpec describes a key to create. A key's fingerprint is unique in its project.
type SSHKeySpec struct {
	Name      string            `json:"name"`
	PublicKey string            `json:"publicKey"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// Fingerprint is that of the public key; empty when it is not valid.
func (s SSHKeySpec) Fingerprint() string {
	blob, ok := sshKeyBlob(s.PublicKey)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// SSHKeyUpdate changes what is not nil.
type SSHKeyUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}

// SSHKeyTargets says which instances of the project get a key, or lose it:
// exactly one of its fields is set.
type SSHKeyTargets struct {
	Instances []ID `json:"instances,omitempty"`
	All       bool `json:"all,omitempty"`
}
