package simcloud

import "time"

// ID identifies a resource. It is unique in the cloud and not used again before a
// reset or LoadSnapshot; with Config.KeepIDs not after a reset either, nor after a snapshot
// for what the cloud has had since.
// Ids come from a counter in the store, with a prefix for the kind ("i-7");
// regions, zones, instance types, pools and projects are their own names, and
// a quota is named by its project and what it limits ("default.instance").
type ID string

// Ref returns how errors and the journal name a resource: "instance/i-7".
func Ref(kind Kind, id ID) string {
	if id == "" {
		return string(kind)
	}
	return string(kind) + "/" + string(id)
}

// Meta is what all resources have.
type Meta struct {
	ID      ID                `json:"id"`
	Name    string            `json:"name"`
	Project ID                `json:"project,omitempty"` // empty for what all projects share: regions, zones, types
	Labels  map[string]string `json:"labels,omitempty"`
	Created time.Time         `json:"created"`
	Updated time.Time         `json:"updated"`
	// Version rises with each change, across all resources: it is the
	// revision of the event that told of the change.
	Version uint64 `json:"version"`
	// Protected is whether a deletion answers Protected. A reset deletes it all the
	// same, and what deletes by another call, such as RecreateInstance, is no deletion.
	Protected bool `json:"protected,omitempty"`
	// Operation is the operation that runs on the resource, if any. While it
	// runs, other mutations answer Locked.
	Operation ID `json:"operation,omitempty"`
}

// GetMeta lets generic code reach the Meta of any resource.
func (m *Meta) GetMeta() *Meta { return m }

// EncodedResource is a resource as JSON, as it is stored, which is how
// [encoding/json] writes it. It must not be changed.
type EncodedResource struct {
	// Meta has the id, the project and the version of the resource, and no more.
	Meta Meta
	JSON []byte
}

// Page is one page of a list. Items are in the order of their creation.
type Page[T any] struct {
	Items []T `json:"items"`
	// NextPage is the token of the page that follows; empty on the last one.
	NextPage string `json:"nextPage,omitempty"`
	// Total is how many items all pages have together, with ListOptions.Page.
	Total int `json:"total,omitempty"`
	// Revision is the revision of the cloud that the page was read at: events
	// after it are the changes that the page does not show.
	Revision uint64 `json:"revision"`
}

// Result is what a mutation answers: the resource as it is now, and the
// operation that carries the change through. With immediate progression the
// operation is done already.
type Result[T any] struct {
	Resource  T         `json:"resource"`
	Operation Operation `json:"operation"`
}
