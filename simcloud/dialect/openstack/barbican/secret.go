package barbican

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// attributes are what a client says of a secret.
type attributes struct {
	Name       *string `json:"name"`
	SecretType string  `json:"secret_type"`
	Algorithm  *string `json:"algorithm"`
	BitLength  *int    `json:"bit_length"`
	Mode       *string `json:"mode"`
}

// secret is what is shown of a secret.
type secret struct {
	attributes
	SecretRef    string            `json:"secret_ref"`
	Status       string            `json:"status"`
	Created      string            `json:"created"`
	Updated      string            `json:"updated"`
	CreatorID    string            `json:"creator_id"`
	Expiration   *string           `json:"expiration"`
	ContentTypes map[string]string `json:"content_types,omitempty"` // of one that has a payload
}

// document is what the cloud keeps of a secret. The payload is not in it.
type document struct {
	attributes
	ContentType string `json:"content_type,omitempty"` // empty without a payload
}

// secretRequest is a secret to create.
type secretRequest struct {
	attributes
	Payload                *string `json:"payload"`
	PayloadContentType     string  `json:"payload_content_type"`
	PayloadContentEncoding string  `json:"payload_content_encoding"`
	Expiration             *string `json:"expiration"`
}

// check judges what the document of a secret says.
func (d document) check() error {
	if d.ContentType != "" && d.ContentType != textType && !slices.Contains(byteTypes, d.ContentType) {
		return bad(secretSchema, "content_type", "'%.40s' is not one of %v", d.ContentType, append([]string{textType}, byteTypes...))
	}
	return d.attributes.check()
}

// opaque is the type of a secret of which nothing else is said.
const opaque = "opaque"

var secretTypes = []string{"symmetric", "public", "private", "passphrase", "certificate", opaque}

// The media types that a payload may have: those of bytes are sent in base64.
const (
	textType = "text/plain"
	byteType = "application/octet-stream"
)

var byteTypes = []string{byteType, "application/pkcs8", "application/pkix-cert"}

// base64Encoding is the only encoding of payloads.
const base64Encoding = "base64"

// maxPayload is how many bytes a payload may have, as Barbican is configured by default, and maxBits how long a secret may be.
const (
	maxPayload = 20000
	maxBits    = 32767
)

// secretSchema is what errors call a secret.
const secretSchema = "Secret"

// normalized is the request as Barbican takes it.
func (r secretRequest) normalized() secretRequest {
	if r.SecretType == "" {
		r.SecretType = opaque
	}
	if strings.ReplaceAll(strings.ToLower(r.PayloadContentType), " ", "") == textType+";charset=utf-8" {
		r.PayloadContentType = textType
	}
	r.Name, r.Payload = stripped(r.Name), stripped(r.Payload)
	return r
}

func (r secretRequest) check() error {
	if err := r.attributes.check(); err != nil {
		return err
	}
	if r.Expiration != nil {
		return service.Refuse(simcloud.Unimplemented, service.Code{Status: http.StatusNotImplemented}, "simcloud does not simulate secrets that expire")
	}
	return r.checkPayload()
}

// check judges what is said of a secret.
func (a attributes) check() error {
	switch {
	case !slices.Contains(secretTypes, a.SecretType):
		return bad(secretSchema, "secret_type", "'%.40s' is not one of %v", a.SecretType, secretTypes)
	case a.BitLength != nil && (*a.BitLength < 1 || *a.BitLength > maxBits):
		return bad(secretSchema, "bit_length", "%d must be between 1 and %d", *a.BitLength, maxBits)
	}
	return checkTexts(secretSchema, text{"name", a.Name}, text{"algorithm", a.Algorithm}, text{"mode", a.Mode})
}

func (r secretRequest) checkPayload() error {
	isText := r.PayloadContentType == textType
	switch {
	case r.Payload == nil && r.PayloadContentType != "":
		return bad(secretSchema, "payload", "payload must be provided when payload_content_type is supplied")
	case r.Payload == nil:
		return nil
	case r.PayloadContentType == "":
		return bad(secretSchema, "payload_content_type", "If 'payload' is supplied, 'payload_content_type' must also be supplied")
	case !isText && !slices.Contains(byteTypes, r.PayloadContentType):
		return bad(secretSchema, "payload_content_type", "'%.40s' is not one of %v", r.PayloadContentType, append([]string{textType}, byteTypes...))
	case isText && r.PayloadContentEncoding != "":
		return bad(secretSchema, "payload_content_encoding", "payload_content_encoding must not be supplied when payload_content_type is %s", textType)
	case !isText && r.PayloadContentEncoding != base64Encoding:
		return bad(secretSchema, "payload_content_encoding", "payload_content_encoding must be %s when payload_content_type is %s", base64Encoding, r.PayloadContentType)
	case *r.Payload == "":
		return bad(secretSchema, "payload", "If 'payload' specified, must be non empty")
	case len(*r.Payload) > maxPayload:
		return service.Refuse(simcloud.Invalid, service.Code{Status: http.StatusRequestEntityTooLarge}, "Provided information too large to process")
	case !isText && !isBase64(*r.Payload):
		return bad(secretSchema, "payload", "Invalid payload for payload_content_encoding")
	}
	return nil
}

func isBase64(payload string) bool {
	_, err := base64.StdEncoding.DecodeString(payload)
	return err == nil
}

func createSecret(c service.Call, in secretRequest) (any, *simcloud.Meta, error) {
	in = in.normalized()
	if err := in.check(); err != nil {
		return nil, nil, err
	}
	return keep(c, secretKind, in.Name, document{in.attributes, in.PayloadContentType})
}

func getSecret(c service.Call) (any, error) {
	d, says, err := find[document](c, secretKind, c.ID)
	if err != nil {
		return nil, err
	}
	shown := secret{
		attributes: says.attributes, SecretRef: secretKind.ref(c, d.ID), Status: active,
		Created: service.TimeText(d.Created), Updated: service.TimeText(d.Updated), CreatorID: service.ProjectUUID(d.Project),
	}
	if says.ContentType != "" {
		shown.ContentTypes = map[string]string{"default": says.ContentType}
	}
	return shown, nil
}
