package simcloud

import "time"

// Snapshot is a state of the cloud that was kept.
type Snapshot struct {
	Name string `json:"name"`
	// Created is when it was saved, by the cloud's clock.
	Created  time.Time `json:"created"`
	Revision uint64    `json:"revision"`
	// File is where the snapshot is, on the machine of the cloud.
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// SnapshotSpec describes a snapshot to save.
type SnapshotSpec struct {
	Name string `json:"name"`
}

// SnapshotDiff is what differs between two states, in the order of kinds and ids.
type SnapshotDiff struct {
	From string `json:"from"`
	// To is the name of a snapshot; empty for the cloud as it is now.
	To      string           `json:"to,omitempty"`
	Changes []SnapshotChange `json:"changes"`
}

// SnapshotChange is one resource that differs.
type SnapshotChange struct {
	Type     EventType `json:"type"`
	Resource string    `json:"resource"` // as Ref names it
	Name     string    `json:"name"`
	// Fields are those that differ, with Updated; what every change
	// changes, such as the version, is not among them.
	Fields []FieldChange `json:"fields,omitempty"`
}

// FieldChange is one field of a resource that differs.
type FieldChange struct {
	// Path leads to the field: "state", "labels[app]", "routes[10.244.0.0/24].state". An element of a list is named by
	// its destination, id, address or instance, whichever identifies it; by its position where none does.
	Path string `json:"path"`
	// Was and Is are the values in JSON; a value that does not exist is omitted.
	Was any `json:"was,omitempty"`
	Is  any `json:"is,omitempty"`
}
