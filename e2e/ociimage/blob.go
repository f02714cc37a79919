package ociimage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// The media types of OCI images.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// object is one of JSON; its keys are written in order, so that it is the same each time.
type object map[string]any

// blob is a file that is named by its content.
type blob struct {
	mediaType string
	content   []byte
}

func (b blob) digest() string { return digest(b.content) }
func (b blob) path() string   { return "blobs/sha256/" + b.digest()[len("sha256:"):] }

func (b blob) descriptor() object {
	return object{"mediaType": b.mediaType, "digest": b.digest(), "size": len(b.content)}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func jsonBlob(mediaType string, content object) (blob, error) {
	raw, err := json.Marshal(content)
	return blob{mediaType, raw}, err
}
