package simcloud

import "context"

// Transactor runs several calls of a cloud as one. It is not part of the HTTP interface:
// it is for the dialects in the cloud's process, of which one request may stand for several calls.
//
// fn calls the cloud with the context that it gets, or with one derived from it, from
// one goroutine, and no longer than it runs. Other contexts of the same cloud would wait
// for fn to end, and fn for them. It must not wait for anything else, nor end its
// goroutine, as the FailNow of a test does: all changes of the cloud wait meanwhile.
// What is not a read or a change of resources cannot be part of it and answers
// Unimplemented: waits, watches, Check, and the changes of a Control but ReportTargetHealth.
type Transactor interface {
	// Atomic runs fn in one transaction: all of its changes happen, or none when fn or
	// the transaction fails. They happen at one time, and reads in fn see the changes before
	// them, however far behind other reads are. Quotas are judged at the end. An
	// override of the context holds for each operation whose kind it fits.
	//
	// A call that fails in fn changes nothing, and fn may go on. A call on a resource on
	// which an operation runs that fn has started completes that operation first: of several
	// changes of one resource the last takes the time.
	//
	// An Atomic in fn is a part of the outer one: when it fails, its own changes do not happen.
	Atomic(ctx context.Context, fn func(ctx context.Context) error) error
	// View runs fn on one state of the cloud: all of its reads see the same revision,
	// as far behind as other reads are. It changes nothing. Operations that are complete
	// after a number of reads count those of fn once fn has ended.
	View(ctx context.Context, fn func(ctx context.Context) error) error
	// Remember answers what fn returns, which runs as in View, or what it returned before for
	// the same key and the same caller's project and role, when all that it has read is the same and so is the configuration.
	// fn must depend on nothing else, and what it has returned must not be changed. Errors are not remembered.
	Remember(ctx context.Context, key string, fn func(ctx context.Context) (any, error)) (any, error)
	// Referring returns the ids of the resources of a kind that refer to the one that to names,
	// such as "instance/i-7": those that a list with [ListOptions.RefersTo] has, oldest first, without what
	// it takes to read them. It reports false when only that list can answer, as where lists are behind.
	Referring(ctx context.Context, kind Kind, to string) (ids []ID, ok bool, err error)
	// Deletions returns the events of the deletions of a kind in the caller's project that were made within a time until
	// now, oldest first: of these ids, or of all. Each has the resource as it was. What was deleted before a reset or
	// before a snapshot was loaded is not shown, nor what is older than all events that the cloud keeps. As other reads, it may be behind.
	Deletions(ctx context.Context, kind Kind, within Duration, ids ...ID) ([]Event, error)
}
