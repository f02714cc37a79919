package dialect

import "github.com/simcloud-dev/simcloud/simcloud"

// Dialect describes the wire format of another cloud.
type Dialect struct {
	// Name is the first element of its paths, such as "hcloud".
	Name string `json:"name"`
	// Title is the API that it speaks.
	Title string `json:"title"`
	// Path is what a client has as the path of its endpoint, such as "/hcloud/v1".
	Path string `json:"path"`
	// Credential says how a request has the token of the cloud.
	Credential string `json:"credential"`
	// CredentialFields are what its clients are given for a credential.
	CredentialFields []CredentialField `json:"credentialFields"`
	// Environment is what its clients are configured by.
	Environment []Variable `json:"environment"`
	// Variants are what is not known of that cloud. The cloud's configuration chooses an answer.
	Variants []simcloud.DialectVariant `json:"variants,omitempty"`
	// Files are configurations that a client reads besides.
	Files      []File      `json:"files,omitempty"`
	Operations []Operation `json:"operations"`
	// Documents are the types of the documents that it keeps in the cloud.
	Documents []DocumentType `json:"-"`
	// IDs is how it shows the ids of resources.
	IDs IDs `json:"-"`
}

// File is a file that a client is configured by.
type File struct {
	Name string `json:"name"`
	// Purpose says what the client has it for.
	Purpose string `json:"purpose"`
	Content string `json:"content"`
}

// CredentialField is a part of a credential, such as a token, or a key and its secret.
type CredentialField struct {
	// Name is unique in the dialect.
	Name string `json:"name"`
	// Value has {token} in place of the secret of a token.
	Value string `json:"value"`
}

// Variable is one variable of the environment of a client. In its value {endpoint} is the
// URL of the dialect and {token} the secret of a token.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Purpose says what the client has it for.
	Purpose string `json:"purpose"`
}

// Operation is one call of a dialect.
type Operation struct {
	// Name is the operation as that cloud names it; unique in the dialect.
	Name   string `json:"name"`
	Method string `json:"method"`
	// Path is that of the API, below Dialect.Path.
	Path string `json:"path"`
	// Core is the operation of the cloud that it stands for, by which faults, rates, roles
	// and the journal go; empty for an unsupported one, and for one that only asks who calls.
	Core     string   `json:"core,omitempty"`
	Standing Standing `json:"standing"`
}

// Standing is what an operation of a dialect is worth.
type Standing string

// The standings of an operation.
const (
	// Simulated: the core does it, with all of its rules.
	Simulated Standing = "simulated"
	// Derived: the answer follows from what the core knows otherwise, or is fixed.
	Derived Standing = "derived"
	// Unsupported: it answers that cloud's error for what it does not support.
	Unsupported Standing = "unsupported"
)

// Missing returns the operations that a dialect does not support.
func (d Dialect) Missing() []Operation {
	var missing []Operation
	for _, o := range d.Operations {
		if o.Standing == Unsupported {
			missing = append(missing, o)
		}
	}
	return missing
}
