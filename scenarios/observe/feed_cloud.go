package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Cloud is what a scenario needs of the cloud's client.
type Cloud interface {
	// Call calls an operation by its name.
	Call(ctx context.Context, operation string, args map[string]any) (json.RawMessage, error)
	GetState(ctx context.Context) (simcloud.State, error)
	ListZones(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Zone], error)
	WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error]
	ListJournal(ctx context.Context, filter simcloud.JournalFilter) ([]simcloud.JournalEntry, error)
	WatchJournal(ctx context.Context, filter simcloud.JournalFilter) iter.Seq2[simcloud.JournalEntry, error]
}

// CloudFeed reads the cloud's streams into a store.
type CloudFeed struct {
	Cloud   Cloud
	Store   *Store
	Harness func(simcloud.JournalEntry) bool
}

// StreamRetry is how long a lost stream stays lost at least.
const StreamRetry = 100 * time.Millisecond

// WatchEvents follows the cloud's changes until ctx is done. A lost stream is
// resumed where it ended; when the cloud no longer knows that place, the whole state is read instead.
func (f *CloudFeed) WatchEvents(ctx context.Context) {
	for ctx.Err() == nil {
		revision, _ := f.Store.CloudRevision()
		if err := f.readEvents(ctx, revision); errors.Is(err, simcloud.Conflict) {
			_ = f.ReadState(ctx) // when it fails, the stream answers Conflict again
		}
		pause(ctx)
	}
}

func (f *CloudFeed) readEvents(ctx context.Context, after uint64) error {
	for event, err := range f.Cloud.WatchAllEvents(ctx, after) {
		if err != nil {
			return err
		}
		if err := f.Store.CloudEvent(event); err != nil {
			return err
		}
	}
	return nil
}

// ReadState takes the whole state of the cloud into the store.
func (f *CloudFeed) ReadState(ctx context.Context) error {
	state, err := f.Cloud.GetState(ctx)
	if err != nil {
		return fmt.Errorf("read the cloud's state: %w", err)
	}
	return f.Store.ReplaceCloud(state)
}

// WatchJournal follows the calls until ctx is done.
func (f *CloudFeed) WatchJournal(ctx context.Context) {
	for ctx.Err() == nil {
		_, seq := f.Store.CloudRevision()
		f.streamJournal(ctx, seq)
		pause(ctx)
	}
}

func (f *CloudFeed) streamJournal(ctx context.Context, after uint64) {
	for entry, err := range f.Cloud.WatchJournal(ctx, simcloud.JournalFilter{After: after, Bodies: true}) {
		if err != nil {
			return
		}
		f.Store.AddCalls([]simcloud.JournalEntry{entry}, f.Harness)
	}
}

// pause waits a moment before a stream that ended is opened again.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(StreamRetry):
	}
}

// CatchUp returns when the store shows everything that has happened in the
// cloud, and been called, up to the moment of the call. It waits for the stream of
// events, which is resumed when it is lost, and for the journal, which knows
// the calls that are still to be written down: neither wait is a guess.
func (f *CloudFeed) CatchUp(ctx context.Context) error {
	page, err := f.Cloud.ListZones(ctx, simcloud.ListOptions{PageSize: 1})
	if err != nil {
		return fmt.Errorf("read the cloud's revision: %w", err)
	}
	if err := f.waitFor(ctx, page.Revision); err != nil {
		return err
	}
	_, seq := f.Store.CloudRevision()
	entries, err := f.Cloud.ListJournal(ctx, simcloud.JournalFilter{After: seq, Settled: true, Bodies: true})
	if err != nil {
		return fmt.Errorf("read the cloud's journal: %w", err)
	}
	f.Store.AddCalls(entries, f.Harness)
	return nil
}

// waitFor returns when the store has come to the revision.
func (f *CloudFeed) waitFor(ctx context.Context, revision uint64) error {
	_, sub := f.Store.Subscribe(map[Source]bool{FromCloud: true})
	defer sub.Cancel()
	for {
		now, _ := f.Store.CloudRevision()
		if now >= revision {
			return nil
		}
		select {
		case <-sub.Wake:
		case <-ctx.Done():
			return fmt.Errorf("the cloud's events have come to revision %d of %d: %w", now, revision, context.Cause(ctx))
		}
	}
}
