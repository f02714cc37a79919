package simcloud

import (
	"context"
	"iter"
	"time"
)

// Control is what the simulator can and a real cloud cannot. Its operations need an admin.
type Control interface {
	// GetState returns all resources of all projects as of one revision.
	GetState(ctx context.Context) (State, error)
	// WatchAllEvents is WatchEvents for the resources of all projects, as
	// GetState shows them: it yields an event for each revision.
	WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[Event, error]
	// Reset puts the cloud back to how it was first made: its topology
	// stands, everything else is gone, addresses start again, and so do ids without
	// Config.KeepIDs. Revisions go on rising. A real clock tells the machine's time again.
	Reset(ctx context.Context) error
	// PlanReset returns what Reset would change, each resource as "kind/name", and changes nothing. Operations are not
	// part of it.
	PlanReset(ctx context.Context) (SeedReport, error)
	// Seed makes the cloud what the topology says and returns what that
	// changed: of each kind that the topology lists, what it names is made or
	// brought to what it says, and everything else is deleted. Kinds that it does not
	// list stay as they are. All or nothing happens; doing it again changes nothing.
	Seed(ctx context.Context, topology Topology) (SeedReport, error)
	// PlanSeed returns what Seed would answer, an error too, and changes nothing.
	PlanSeed(ctx context.Context, topology Topology) (SeedReport, error)
	// GetConfig reads how the cloud behaves.
	GetConfig(ctx context.Context) (Config, error)
	// UpdateConfig changes what is not nil; it lasts beyond a restart.
	UpdateConfig(ctx context.Context, update ConfigUpdate) (Config, error)
	SnapshotAPI
	DataPlaneAPI
	// GetClock reads the cloud's clock.
	GetClock(ctx context.Context) (ClockStatus, error)
	// SetClock changes the clock's mode. Time goes back by nothing but Reset.
	SetClock(ctx context.Context, spec ClockSpec) (ClockStatus, error)
	// AdvanceClock moves a manual clock and returns the operations that it completed.
	AdvanceClock(ctx context.Context, by Duration) (ClockAdvance, error)
}

// SnapshotAPI keeps states of the cloud to come back to. A snapshot is one
// file that can be copied. It has no token and no secret.
type SnapshotAPI interface {
	ListSnapshots(ctx context.Context) ([]Snapshot, error)
	// SaveSnapshot answers AlreadyExists when the name is taken.
	SaveSnapshot(ctx context.Context, spec SnapshotSpec) (Snapshot, error)
	// LoadSnapshot brings all resources back to what they were, ids and
	// addresses to come included. Tokens, configuration, the clock and the
	// revision are not part of it; what was under way has as long to go as it had.
	LoadSnapshot(ctx context.Context, name ID) (Snapshot, error)
	// DiffSnapshot says what has changed from the snapshot to the one named
	// against; empty means to the cloud as it is now.
	DiffSnapshot(ctx context.Context, name ID, against string) (SnapshotDiff, error)
	DeleteSnapshot(ctx context.Context, name ID) error
}

// JournalAPI is the record of all calls.
type JournalAPI interface {
	// ListJournal returns the recorded calls that match, oldest first.
	ListJournal(ctx context.Context, filter JournalFilter) ([]JournalEntry, error)
	// WatchJournal yields the recorded calls that match and then those to
	// come, until ctx is done or the loop is left.
	WatchJournal(ctx context.Context, filter JournalFilter) iter.Seq2[JournalEntry, error]
	// GetJournalEntry returns one recorded call by its number, with what it sent and got.
	GetJournalEntry(ctx context.Context, seq ID) (JournalEntry, error)
	// ClearJournal forgets the recorded calls. Sequence numbers go on rising.
	ClearJournal(ctx context.Context) error
}

// ClockMode is how the cloud's clock runs.
type ClockMode string

// The modes of the clock.
const (
	ClockReal   ClockMode = "real"
	ClockScaled ClockMode = "scaled" // Factor times as fast as real time
	ClockManual ClockMode = "manual" // stands still but for AdvanceClock
)

// ClockSpec is how the clock is to run.
type ClockSpec struct {
	Mode   ClockMode `json:"mode"`
	Factor float64   `json:"factor,omitempty"` // with ClockScaled; above 0
}

// ClockStatus is how the clock runs and what it shows.
type ClockStatus struct {
	ClockSpec
	Now time.Time `json:"now"`
	// Offset is how far the clock is ahead of that of the machine, to the millisecond; below 0 it is behind.
	Offset Duration `json:"offset,omitempty"`
}

// ClockAdvance is what an advance of the clock did.
type ClockAdvance struct {
	Now   time.Time   `json:"now"`
	Fired []Operation `json:"fired"`
}

// JournalEntry records one call.
type JournalEntry struct {
	Seq       uint64    `json:"seq"`
	Time      time.Time `json:"time"`
	RequestID string    `json:"requestID"`
	Caller    Caller    `json:"caller"`
	Operation string    `json:"operation"`
	// Name is the call as its client knows it: "CreateRoute" in the cloud's own format, "aws:ec2:CreateRoute" in a
	// dialect, and method and path for a request that no operation has. It is never empty, and is what reports print.
	Name string `json:"name"`
	// Dialect is the wire format of another cloud in which the call came, DialectOperation
	// the name that the operation has there, and Request its method and path; empty in the cloud's own format.
	Dialect          string `json:"dialect,omitempty"`
	DialectOperation string `json:"dialectOperation,omitempty"`
	Request          string `json:"request,omitempty"`
	// OperationID is the operation that the call has made in the cloud, also when the caller was
	// told otherwise; one repeated with its idempotency key has that of the first. It is empty for a
	// call that makes none, or several, as Seed does: those have its RequestID.
	OperationID ID `json:"operationID,omitempty"`
	// Write is whether the operation changes the cloud when it succeeds.
	Write bool `json:"write"`
	// Resource is what the call was about, as far as its path or its answer says.
	Resource string `json:"resource,omitempty"`
	// ShownID is the id of Resource as the dialect of the call shows it, such as a UUID; empty where that is the cloud's own.
	ShownID  string   `json:"shownID,omitempty"`
	Status   int      `json:"status"`
	Code     Code     `json:"code,omitempty"` // empty when it succeeded
	Message  string   `json:"message,omitempty"`
	Duration Duration `json:"duration"`
	// Fault is the id of the fault rule that changed the call, and Effect what it did.
	Fault  ID     `json:"fault,omitempty"`
	Effect string `json:"effect,omitempty"`
	// Committed is whether the operation has happened in the cloud, whatever
	// the caller was told.
	Committed bool `json:"committed"`
	// Exchange is what the call sent and got. Lists and streams have it when they are asked for
	// bodies; of the oldest calls it is forgotten first.
	Exchange *Exchange `json:"exchange,omitempty"`
}

// BodyLimit is how much of a body the journal keeps, in bytes.
const BodyLimit = 4096

// Exchange is the request of a call and its response, without their secrets.
type Exchange struct {
	// Request is the method, the path and the query of the request.
	Request string `json:"request"`
	// Sent is the body of the request as far as the cloud has read it; absent when it has none.
	Sent *Body `json:"sent,omitempty"`
	// Got is the body of the response as the caller got it, after a fault rule has changed it. It is absent
	// when the caller got no response, when that has no body, and for streams.
	Got *Body `json:"got,omitempty"`
}

// Body is the beginning of a body.
type Body struct {
	// Type is the media type that its sender names.
	Type string `json:"type,omitempty"`
	// Size is the length of the whole body in bytes.
	Size int `json:"size"`
	// Text is the beginning of the body, with "[redacted]" in place of each secret.
	Text string `json:"text"`
	// Cut is whether the body goes on after Text.
	Cut bool `json:"cut,omitempty"`
}

// JournalFilter chooses entries; the zero value chooses all.
type JournalFilter struct {
	After     uint64 // entries with a higher Seq
	Operation string // a glob, such as "Create*", or "hcloud:*" for operations of a dialect
	Resource  string // a glob, such as "instance/*"
	UserAgent string // a glob
	Project   ID     // of the caller
	Code      Code
	Fault     ID   // the id of a fault rule; "*" for any
	Errors    bool // only failed calls
	Writes    bool // only operations that change the cloud
	Bodies    bool // entries have their Exchange
	// Settled lets ListJournal answer once each call is recorded that may have
	// changed the cloud before the list was asked for: who has seen a change finds its call.
	// Not waited for are calls whose answer a fault rule holds back. Streams do not heed it.
	Settled bool
}
