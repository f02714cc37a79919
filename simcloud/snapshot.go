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
	// Fields are the paths of what differs, with Updated; what every change
	// changes, such as the version, is not among them.
	Fields []string `json:"fields,omitempty"`
}
