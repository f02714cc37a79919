package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Resource is a pointer to a resource of the model.
type Resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

// Ref is a resource that another one refers to.
type Ref struct {
	Kind simcloud.Kind
	ID   simcloud.ID
}

// Bucket holds the resources of one kind in the order of their creation, with
// an index for all that lists and rules look for.
type Bucket[T any, P Resource[T]] struct {
	kind simcloud.Kind
	// prefix of ids that come from a counter; empty when the id is the name.
	prefix string
	state  func(*T) string // nil for kinds without a state
	refs   func(*T) []Ref  // nil for kinds that refer to nothing
	// quota is what counts the resources of a project; empty for kinds that no quota limits.
	quota simcloud.QuotaResource
	// forAdmins are kinds of which admins list those of all projects: a query
	// for no project finds them too.
	forAdmins bool
}

// Kind returns the kind of the bucket's resources.
func (b Bucket[T, P]) Kind() simcloud.Kind { return b.kind }

func (b Bucket[T, P]) data(tx *Tx) bucket  { return tx.bucket(string(b.kind)) }
func (b Bucket[T, P]) index(tx *Tx) bucket { return tx.bucket(string(b.kind) + indexSuffix) }
func (b Bucket[T, P]) names(tx *Tx) bucket { return tx.bucket(string(b.kind) + namesSuffix) }
func (b Bucket[T, P]) counter() Counter    { return Counter{string(b.kind)} }

// key finds where the resource with this id is kept; nil when nowhere.
func (b Bucket[T, P]) key(tx *Tx, id simcloud.ID) []byte {
	if b.prefix == "" {
		return b.named(tx, id)
	}
	if n, ok := numberOf(b.prefix, id); ok {
		return orderedKey(n)
	}
	return nil
}

func (b Bucket[T, P]) named(tx *Tx, id simcloud.ID) []byte {
	if id == "" {
		return nil
	}
	n, err := strconv.ParseUint(string(b.names(tx).Get([]byte(id))), 10, 64)
	if err != nil {
		return nil
	}
	return orderedKey(n)
}

// name lets named find the key n.
func (b Bucket[T, P]) name(tx *Tx, id simcloud.ID, n uint64) error {
	return tx.put(b.names(tx), []byte(id), strconv.AppendUint(nil, n, 10))
}

func (b Bucket[T, P]) raw(tx *Tx, id simcloud.ID) (key, raw []byte) {
	if key = b.key(tx, id); key == nil {
		return nil, nil
	}
	return key, b.data(tx).Get(key)
}

// Get returns the resource with this id, or NotFound.
func (b Bucket[T, P]) Get(tx *Tx, id simcloud.ID) (T, error) {
	_, raw := b.raw(tx, id)
	if raw == nil {
		var none T
		return none, b.NotFound(id)
	}
	return b.decode(raw)
}

// Has reports whether there is a resource with this id.
func (b Bucket[T, P]) Has(tx *Tx, id simcloud.ID) bool {
	_, raw := b.raw(tx, id)
	return raw != nil
}

// NotFound is the error for an id that is not in the bucket.
func (b Bucket[T, P]) NotFound(id simcloud.ID) error {
	return simcloud.Errorf(simcloud.NotFound, simcloud.Ref(b.kind, id), "%s not found", b.Noun())
}

// Noun returns the kind as people say it: "load balancer".
func (b Bucket[T, P]) Noun() string { return strings.ReplaceAll(string(b.kind), "_", " ") }

func (b Bucket[T, P]) decode(raw []byte) (v T, err error) {
	if err := json.Unmarshal(raw, &v, asEncoded); err != nil {
		return v, fmt.Errorf("the %s bucket: %w", b.kind, err)
	}
	return v, nil
}

// asEncoded lets the faster decoder understand what encoding/json has written as that does.
var asEncoded = jsonv1.DefaultOptionsV1()
