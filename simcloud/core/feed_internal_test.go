package core

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func eventAt(revision uint64, project simcloud.ID) simcloud.EncodedEvent {
	return simcloud.EncodedEvent{
		Event: simcloud.Event{Revision: revision, Kind: simcloud.KindInstance, Project: project, Object: []byte("{}")},
		JSON:  []byte("{}"),
	}
}

// TestFeedWakes: a watcher is woken for what it may see, and no other.
func TestFeedWakes(t *testing.T) {
	t.Parallel()
	var f feed
	ours := f.join(simcloud.Caller{Project: "ours"}, false)
	theirs := f.join(simcloud.Caller{Project: "theirs"}, false)
	admin := f.join(simcloud.Caller{Project: "admins", Role: simcloud.RoleAdmin}, false)
	whole := f.join(simcloud.Caller{Role: simcloud.RoleAdmin}, true)
	all := map[string]*watcher{"ours": ours, "theirs": theirs, "admin": admin, "whole": whole}
	revision := uint64(0)
	for _, c := range []struct {
		kind    simcloud.Kind
		project simcloud.ID
		woken   string
	}{
		{simcloud.KindInstance, "ours", "map[ours:true whole:true]"},
		{simcloud.KindZone, "", "map[admin:true ours:true theirs:true whole:true]"},
		{simcloud.KindToken, "ours", "map[admin:true whole:true]"},
		{simcloud.KindQuota, "theirs", "map[admin:true theirs:true whole:true]"},
		{simcloud.KindProject, "", "map[admin:true whole:true]"},
		{simcloud.KindInstance, "unknown", "map[whole:true]"},
	} {
		for name, w := range all {
			if events, upTo, known := f.read(w, revision); len(events) > 0 || upTo != revision || !known || !w.idle {
				t.Errorf("%s reads %v, %d, %t", name, events, upTo, known)
			}
		}
		revision++
		e := eventAt(revision, c.project)
		e.Kind = c.kind
		f.Publish([]simcloud.EncodedEvent{e})
		woken := map[string]bool{}
		for name, w := range all {
			select {
			case <-w.wake:
				woken[name] = true
				if events, upTo, _ := f.read(w, revision-1); len(events) != 1 || upTo != revision {
					t.Errorf("%s reads %v up to %d", name, events, upTo)
				}
			default:
			}
		}
		if got := fmt.Sprint(woken); got != c.woken {
			t.Errorf("%s of %q wakes %s, want %s", c.kind, c.project, got, c.woken)
		}
	}
	for _, w := range all {
		f.leave(w)
	}
	if len(f.recent) > 0 || len(f.projects) > 0 || len(f.whole) > 0 || len(f.admins) > 0 {
		t.Errorf("when all have left there is %+v", &f)
	}
}

// TestFeedPasses: a watcher that waits is not behind for what has come for
// others, however much that is.
func TestFeedPasses(t *testing.T) {
	t.Parallel()
	var f feed
	w := f.join(simcloud.Caller{Project: "ours"}, false)
	f.read(w, 0)
	for n := range uint64(feedEvents + 10) {
		f.Publish([]simcloud.EncodedEvent{eventAt(n+1, "theirs")})
	}
	if len(f.recent) != feedEvents {
		t.Errorf("%d events are kept, want %d", len(f.recent), feedEvents)
	}
	if _, _, known := f.read(&watcher{}, 0); known {
		t.Error("the feed claims to reach back to the beginning")
	}
	f.Publish([]simcloud.EncodedEvent{eventAt(feedEvents+11, "ours")})
	<-w.wake
	events, upTo, known := f.read(w, 0)
	if len(events) != 1 || upTo != feedEvents+11 || !known {
		t.Fatalf("reads %d events up to %d, %t", len(events), upTo, known)
	}
	f.read(w, upTo)
	f.Renew(upTo + 5)
	<-w.wake
	if _, after, known := f.read(w, upTo); known || after != upTo {
		t.Errorf("after Renew the feed knows what comes after %d: %t", after, known)
	}
}

// addKeys makes so many SSH keys in one commit, which has as many events.
func addKeys(t *testing.T, cloud *Cloud, count int) {
	t.Helper()
	caller := simcloud.Caller{Project: simcloud.DefaultProject, Role: simcloud.RoleWriter}
	err := cloud.update(simcloud.WithCaller(t.Context(), caller), request{}, func(w *txn) (err error) {
		for n := 0; n < count && err == nil; n++ {
			key := simcloud.SSHKey{Meta: simcloud.Meta{Name: "k", Project: caller.Project}}
			if key.ID, err = store.SSHKeys.NewID(w.tx); err == nil {
				err = store.SSHKeys.Insert(w.tx, w.now, &key)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPublishedWhole: a watcher gets each event of a commit, from memory when
// they are as many as the feed keeps, and from the store when they are more.
func TestPublishedWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ events, inMemory int }{
		{1, 2}, // with the event that came before
		{feedEvents - 1, feedEvents},
		{feedEvents, feedEvents},
		{feedEvents + 1, 0},
	} {
		t.Run(fmt.Sprint(c.events), func(t *testing.T) {
			t.Parallel()
			cloud := openHere(t)
			last := cloud.feed.last
			admin := simcloud.WithCaller(t.Context(), simcloud.Caller{Role: simcloud.RoleAdmin})
			next, stop := iter.Pull2(cloud.WatchAllEvents(admin, last))
			defer stop()
			see := func() {
				event, err, ok := next()
				if last++; err != nil || !ok || event.Revision != last || event.Kind != simcloud.KindSSHKey {
					t.Fatalf("got event %d of a %s, %v, %t, want event %d", event.Revision, event.Kind, err, ok, last)
				}
			}
			addKeys(t, cloud, 1)
			see() // the watcher has come to the end of the store
			addKeys(t, cloud, 1)
			see() // and takes what is in memory
			addKeys(t, cloud, c.events)
			if got := len(cloud.feed.recent); got != c.inMemory {
				t.Errorf("%d events are in memory, want %d", got, c.inMemory)
			}
			for range c.events {
				see()
			}
		})
	}
}

// TestUnwatchedCommits: of what is committed while no one watches the feed knows
// the revision alone; who comes later reads the store.
func TestUnwatchedCommits(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	before := cloud.feed.last
	addKeys(t, cloud, 3)
	if got := cloud.feed.last; got != before+3 || len(cloud.feed.recent) > 0 {
		t.Fatalf("the feed is at %d with %d events, want %d and none", got, len(cloud.feed.recent), before+3)
	}
	admin := simcloud.WithCaller(t.Context(), simcloud.Caller{Role: simcloud.RoleAdmin})
	next, stop := iter.Pull2(cloud.WatchAllEvents(admin, before))
	defer stop()
	for n := range uint64(3) {
		if event, err, ok := next(); err != nil || !ok || event.Revision != before+n+1 {
			t.Fatalf("got event %d, %v, %t, want %d", event.Revision, err, ok, before+n+1)
		}
	}
	if !cloud.feed.Watched() {
		t.Error("with a watcher the feed wants no events")
	}
}

// TestWatchersMeetAllEvents: watchers that begin while others write
// get each event that they may see, once and in order, from the store or the feed.
func TestWatchersMeetAllEvents(t *testing.T) {
	t.Parallel()
	cloud := openHere(t)
	const rounds = 300
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	projects := []simcloud.ID{"a", "b"}
	var watching, writing sync.WaitGroup
	for n := range 8 {
		project := projects[n%2]
		caller := simcloud.Caller{Project: project, Role: simcloud.RoleReader}
		watching.Go(func() {
			var last uint64
			seen := 0
			for e, err := range cloud.WatchEncodedEvents(simcloud.WithCaller(ctx, caller), 0) {
				if err != nil || e.Revision <= last || e.Project != "" && e.Project != project {
					t.Errorf("%s gets event %d of %q after %d, %v", project, e.Revision, e.Project, last, err)
					return
				}
				if last = e.Revision; e.Kind != simcloud.KindSSHKey {
					continue
				}
				if seen++; seen == rounds {
					return
				}
			}
		})
	}
	for _, project := range projects {
		writing.Go(func() {
			writer := simcloud.WithCaller(ctx, simcloud.Caller{Project: project, Role: simcloud.RoleWriter})
			for n := range rounds {
				key := simcloud.SSHKey{Meta: simcloud.Meta{Project: project}}
				if err := cloud.update(writer, request{}, func(w *txn) (err error) {
					if key.ID, err = store.SSHKeys.NewID(w.tx); err != nil {
						return err
					}
					key.Name = fmt.Sprint(n)
					return store.SSHKeys.Insert(w.tx, w.now, &key)
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	watching.Wait()
}
