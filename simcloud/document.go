package simcloud

import (
	"bytes"
	"encoding/json"
)

// Document is something that a dialect has and the cloud does not, such as a
// certificate of Hetzner's: the dialect decides what it means, the cloud keeps it
// like every other resource.
type Document struct {
	Meta
	// Dialect is the wire format that the document belongs to, such as "hcloud".
	Dialect string `json:"dialect"`
	// Type is what the dialect has it for, such as "certificate". Names are unique
	// among the documents of a type in a project.
	Type string `json:"type"`
	// Body is a JSON object that the cloud keeps and returns, and does not interpret.
	Body json.RawMessage `json:"body"`
	// Reserved are addresses that nothing else gets while the document is there, but a load balancer that names the
	// document: see LoadBalancerSpec.Reservation.
	Reserved []Reservation `json:"reserved,omitempty"`
}

// DocumentSpec describes a document to create.
type DocumentSpec struct {
	Name    string            `json:"name"`
	Dialect string            `json:"dialect"`
	Type    string            `json:"type"`
	Body    json.RawMessage   `json:"body"` // a JSON object of at most MaxDocument bytes
	Labels  map[string]string `json:"labels,omitempty"`
	// Reserved asks for addresses of networks, at most MaxReserved.
	Reserved []Reservation `json:"reserved,omitempty"`
}

// DocumentUpdate changes what is not nil.
type DocumentUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	// Body replaces the whole body.
	Body *json.RawMessage `json:"body,omitempty"`
}

// MaxDocument is how long the body of a document may be, in bytes.
const MaxDocument = 64 << 10

// Validate checks the spec.
func (s DocumentSpec) Validate() error {
	var f fieldErrors
	f.name("name", s.Name)
	f.name("dialect", s.Dialect)
	f.name("type", s.Type)
	f.body("body", s.Body)
	f.labels("labels", s.Labels)
	f.reservations("reserved", s.Reserved)
	return InvalidFields(string(KindDocument), f)
}

// Validate checks the update.
func (u DocumentUpdate) Validate() error {
	var f fieldErrors
	f.nameAndLabels(u.Name, u.Labels)
	if u.Body != nil {
		f.body("body", *u.Body)
	}
	return InvalidFields(string(KindDocument), f)
}

// body checks what a document says.
func (f *fieldErrors) body(field string, body json.RawMessage) {
	switch {
	case len(body) > MaxDocument:
		f.add(field, "has %d bytes: must have at most %d", len(body), MaxDocument)
	case !json.Valid(body) || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		f.add(field, "must be a JSON object")
	}
}
