package scenarios

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

// cloudFeed reads the cloud's streams into a store.
type cloudFeed struct {
	cloud   Cloud
	store   *store
	harness func(simcloud.JournalEntry) bool
}

// streamRetry is how long a lost stream stays lost at least.
const streamRetry = 100 * time.Millisecond

// watchEvents follows the cloud's changes until ctx is done. A lost stream is
// resumed where it ended; when the cloud no longer knows that place, the whole state is read instead.
func (f *cloudFeed) watchEvents(ctx context.Context) {
	for ctx.Err() == nil {
		revision, _ := f.store.cloudRevision()
		if err := f.readEvents(ctx, revision); errors.Is(err, simcloud.Conflict) {
			_ = f.readState(ctx) // when it fails, the stream answers Conflict again
		}
		pause(ctx)
	}
}

func (f *cloudFeed) readEvents(ctx context.Context, after uint64) error {
	for event, err := range f.cloud.WatchAllEvents(ctx, after) {
		if err != nil {
			return err
		}
		if err := f.store.cloudEvent(event); err != nil {
			return err
		}
	}
	return nil
}

func (f *cloudFeed) readState(ctx context.Context) error {
	state, err := f.cloud.GetState(ctx)
	if err != nil {
		return fmt.Errorf("read the cloud's state: %w", err)
	}
	return f.store.replaceCloud(state)
}

// watchJournal follows the calls until ctx is done.
func (f *cloudFeed) watchJournal(ctx context.Context) {
	for ctx.Err() == nil {
		_, seq := f.store.cloudRevision()
		f.streamJournal(ctx, seq)
		pause(ctx)
	}
}

func (f *cloudFeed) streamJournal(ctx context.Context, after uint64) {
	for entry, err := range f.cloud.WatchJournal(ctx, simcloud.JournalFilter{After: after}) {
		if err != nil {
			return
		}
		f.store.addCalls([]simcloud.JournalEntry{entry}, f.harness)
	}
}

// pause waits a moment before a stream that ended is opened again.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(streamRetry):
	}
}

// catchUp returns when the store shows everything that has happened in the
// cloud, and been called, up to the moment of the call. It waits for the stream of
// events, which is resumed when it is lost, and for the journal, which knows
// the calls that are still to be written down: neither wait is a guess.
func (f *cloudFeed) catchUp(ctx context.Context) error {
	page, err := f.cloud.ListZones(ctx, simcloud.ListOptions{PageSize: 1})
	if err != nil {
		return fmt.Errorf("read the cloud's revision: %w", err)
	}
	if err := f.waitFor(ctx, page.Revision); err != nil {
		return err
	}
	_, seq := f.store.cloudRevision()
	entries, err := f.cloud.ListJournal(ctx, simcloud.JournalFilter{After: seq, Settled: true})
	if err != nil {
		return fmt.Errorf("read the cloud's journal: %w", err)
	}
	f.store.addCalls(entries, f.harness)
	return nil
}

// waitFor returns when the store has come to the revision.
func (f *cloudFeed) waitFor(ctx context.Context, revision uint64) error {
	_, sub := f.store.subscribe(map[source]bool{fromCloud: true})
	defer sub.close()
	for {
		now, _ := f.store.cloudRevision()
		if now >= revision {
			return nil
		}
		select {
		case <-sub.wake:
		case <-ctx.Done():
			return fmt.Errorf("the cloud's events have come to revision %d of %d: %w", now, revision, context.Cause(ctx))
		}
	}
}
