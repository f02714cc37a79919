package store

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// GetEncoded is [Bucket.Get] of the resource's JSON. It decodes no more of it
// than it takes to know whose the resource is and which version it has.
func (b Bucket[T, P]) GetEncoded(tx *Tx, id simcloud.ID) (simcloud.EncodedResource, error) {
	_, raw := b.raw(tx, id)
	if raw == nil {
		return simcloud.EncodedResource{}, b.NotFound(id)
	}
	r, err := encodedResource(id, bytes.Clone(raw))
	if err != nil {
		return simcloud.EncodedResource{}, fmt.Errorf("the %s bucket: %w", b.kind, err)
	}
	return r, nil
}

// Raw returns the JSON of a resource as it is stored, which holds as long as the transaction; nil when there is none.
func (b Bucket[T, P]) Raw(tx *Tx, id simcloud.ID) []byte {
	_, raw := b.raw(tx, id)
	return raw
}

// decoders are those that are not in use: a new one takes as long as what it reads here.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// encodedResource reads the project and the version of a resource from its
// JSON. A resource begins with its [simcloud.Meta], in which the project comes
// before the version: what follows the version is not read.
func encodedResource(id simcloud.ID, raw []byte) (simcloud.EncodedResource, error) {
	r := simcloud.EncodedResource{Meta: simcloud.Meta{ID: id}, JSON: raw}
	in := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(in)
	in.Reset(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true)) // to look for them takes long
	if _, err := in.ReadToken(); err != nil {
		return r, err
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return r, err
		}
		switch name.String() {
		case "project":
			project, err := in.ReadToken()
			if err != nil {
				return r, err
			}
			r.Meta.Project = simcloud.ID(project.String())
		case "version":
			version, err := in.ReadToken()
			if err != nil || version.Kind() != '0' {
				return r, errors.Join(errors.New("its version is no number"), err)
			}
			r.Meta.Version = version.Uint()
			return r, nil
		default:
			if err := in.SkipValue(); err != nil {
				return r, err
			}
		}
	}
	return r, errors.New("it has no version")
}
