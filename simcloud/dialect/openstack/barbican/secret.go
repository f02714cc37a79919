package barbican

import (
	"encoding/base64"
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// secret is what is shown of a secret.
type secret struct {
	keptSecret
	SecretRef    string            `json:"secret_ref"`
	Status       string            `json:"status"`
	Created      string            `json:"created"`
	Updated      string            `json:"updated"`
	CreatorID    string            `json:"creator_id"`
	Expiration   *string           `json:"expiration"`
	ContentTypes map[string]string `json:"content_types,omitempty"` // of one that has a payload
}

// keptSecret is what the document of a secret says. The payload is not in it.
type keptSecret struct {
	Name       *string `json:"name"`
	SecretType string  `json:"secret_type"`
	Algorithm  *string `json:"algorithm"`
	BitLength  *int    `json:"bit_length"`
	Mode       *string `json:"mode"`
}

// secretDocument is the document of a secret.
type secretDocument struct {
	keptSecret
	ContentType string `json:"content_type,omitempty"`
}

// secretRequest is a secret to create.
type secretRequest struct {
	keptSecret
	Payload                *string `json:"payload"`
	PayloadContentType     string  `json:"payload_content_type"`
	PayloadContentEncoding string  `json:"payload_content_encoding"`
	Expiration             *string `json:"expiration"`
}

// The types that secrets have.
const opaque = "opaque"

var secretTypes = []string{"symmetric", "public", "private", "passphrase", "certificate", opaque}

// The media types that a payload may have: those of bytes are sent in base64.
const plainText = "text/plain"

var byteTypes = []string{"application/octet-stream", "application/pkcs8", "application/pkix-cert"}

// maxPayload is how many bytes a payload may have, as Barbican is configured by default.
const maxPayload = 20000

func (r secretRequest) check() error {
	text := r.PayloadContentType == plainText || r.PayloadContentType == plainText+"; charset=utf-8"
	switch {
	case r.SecretType != "" && !slices.Contains(secretTypes, r.SecretType):
		return bad("Secret", "secret_type", "'%.40s' is not one of %v", r.SecretType, secretTypes)
	case r.Expiration != nil:
		return service.Refuse(simcloud.Unimplemented, service.Code{Status: http.StatusNotImplemented}, "simcloud does not simulate secrets that expire")
	case r.Payload == nil && r.PayloadContentType+r.PayloadContentEncoding != "":
		return bad("Secret", "payload", "payload must be provided when payload_content_type is supplied")
	case r.Payload == nil:
		return nil
	case r.PayloadContentType == "":
		return bad("Secret", "payload_content_type", "If 'payload' is supplied, 'payload_content_type' must also be supplied")
	case !text && !slices.Contains(byteTypes, r.PayloadContentType):
		return bad("Secret", "payload_content_type", "'%.40s' is not one of %v", r.PayloadContentType, append([]string{plainText}, byteTypes...))
	case !text && r.PayloadContentEncoding != "base64":
		return bad("Secret", "payload_content_encoding", "payload_content_encoding must be base64 when payload_content_type is %s", r.PayloadContentType)
	case *r.Payload == "":
		return bad("Secret", "payload", "If 'payload' specified, must be non empty")
	case len(*r.Payload) > maxPayload:
		return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusRequestEntityTooLarge}, "Provided information too large to process")
	case !text && !isBase64(*r.Payload):
		return bad("Secret", "payload", "Invalid payload for payload_content_encoding")
	}
	return nil
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

func createSecret(c service.Call, in secretRequest) (any, *simcloud.Meta, error) {
	if err := in.check(); err != nil {
		return nil, nil, err
	}
	if in.SecretType == "" {
		in.SecretType = opaque
	}
	return keep(c, secretKind, in.Name, secretDocument{in.keptSecret, in.PayloadContentType})
}

func getSecret(c service.Call) (any, error) {
	d, kept, err := find[secretDocument](c, secretKind)
	if err != nil {
		return nil, err
	}
	shown := secret{
		keptSecret: kept.keptSecret, SecretRef: secretKind.ref(c, d.ID), Status: active,
		Created: timeText(d.Created), Updated: timeText(d.Updated), CreatorID: service.ProjectUUID(d.Project),
	}
	if kept.ContentType != "" {
		shown.ContentTypes = map[string]string{"default": kept.ContentType}
	}
	return shown, nil
}

// active is the status of all that there is.
const active = "ACTIVE"
