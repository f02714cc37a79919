package core

import (
	"sync"
	"sync/atomic"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// How much of the newest events the feed keeps in memory while anyone watches:
// as many as one commit publishes, so that such a commit is there as a whole.
const (
	feedEvents = store.MostPublished
	feedBytes  = 16 << 20
)

// feed hands the events of each commit to those who watch. An event is encoded
// and decoded once for all of them, and a watcher is woken only for events that
// it may see. A watcher that is too far behind for the feed reads the store.
type feed struct {
	// renewals is how often events have changed or were too many: what a
	// watcher has read before may be redacted by now.
	renewals atomic.Uint64

	mu     sync.Mutex
	last   uint64                   // the revision of the newest event
	recent []*simcloud.EncodedEvent // without gaps up to last; empty while no one watches
	bytes  int                      // of recent

	watchers int
	whole    watchers // those of all projects
	admins   watchers
	projects map[simcloud.ID]watchers
}

type watchers map[*watcher]struct{}

// watcher is one stream of events.
type watcher struct {
	caller simcloud.Caller
	whole  bool // whether it is the stream of all projects
	wake   chan struct{}
	// idle is whether it has seen all events up to the last, and waits. Then
	// first is the revision of the first that has come for it since; 0 for none.
	idle  bool
	first uint64
}

func (w *watcher) sees(e *simcloud.EncodedEvent) bool { return w.whole || sees(w.caller, &e.Event) }

// join adds a watcher, which must leave.
func (f *feed) join(caller simcloud.Caller, whole bool) *watcher {
	w := &watcher{caller: caller, whole: whole, wake: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers++
	if whole {
		f.whole = f.whole.with(w)
		return w
	}
	if caller.Role == simcloud.RoleAdmin {
		f.admins = f.admins.with(w)
	}
	if f.projects == nil {
		f.projects = map[simcloud.ID]watchers{}
	}
	f.projects[caller.Project] = f.projects[caller.Project].with(w)
	return w
}

func (ws watchers) with(w *watcher) watchers {
	if ws == nil {
		ws = watchers{}
	}
	ws[w] = struct{}{}
	return ws
}

func (f *feed) leave(w *watcher) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.whole, w)
	delete(f.admins, w)
	project := f.projects[w.caller.Project]
	if delete(project, w); len(project) == 0 {
		delete(f.projects, w.caller.Project)
	}
	if f.watchers--; f.watchers == 0 {
		f.recent, f.bytes = nil, 0
	}
}

// read returns what a watcher may see of the events after a revision, and the
// revision up to which that is all. When there is none, the watcher is idle.
// known is whether the feed reaches back that far.
func (f *feed) read(w *watcher, after uint64) (events []*simcloud.EncodedEvent, upTo uint64, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.idle { // it need not see what has come for others
		passed := f.last
		if w.first > 0 {
			passed = w.first - 1
		}
		after, w.idle, w.first = max(after, passed), false, 0
	}
	if after >= f.last {
		w.idle = true
		return nil, after, true
	}
	if len(f.recent) == 0 || f.recent[0].Revision > after+1 {
		return nil, after, false
	}
	for _, e := range f.recent[after+1-f.recent[0].Revision:] {
		if upTo = e.Revision; w.sees(e) {
			events = append(events, e)
		}
		if len(events) == eventPage {
			break
		}
	}
	return events, upTo, true
}

// Watched implements store.Publisher.
func (f *feed) Watched() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.watchers > 0
}

// Publish implements store.Publisher.
func (f *feed) Publish(events []simcloud.EncodedEvent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range events {
		e := &events[i]
		f.last = e.Revision
		if f.watchers == 0 {
			continue
		}
		f.recent, f.bytes = append(f.recent, e), f.bytes+len(e.JSON)
		f.notify(e)
	}
	f.trim()
}

// Renew implements store.Publisher.
func (f *feed) Renew(revision uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.last + 1
	f.last, f.recent, f.bytes = revision, nil, 0
	f.renewals.Add(1)
	for _, group := range f.projects {
		group.notify(first, nil)
	}
	f.whole.notify(first, nil)
}

// trim releases the oldest events that are too many.
func (f *feed) trim() {
	n := 0
	for ; len(f.recent)-n > feedEvents || f.bytes > feedBytes && len(f.recent)-n > 1; n++ {
		f.bytes -= len(f.recent[n].JSON)
	}
	clear(f.recent[:n])
	f.recent = f.recent[n:]
}

// notify wakes those who may see an event.
func (f *feed) notify(e *simcloud.EncodedEvent) {
	f.whole.notify(e.Revision, e)
	switch {
	case e.Project == "":
		for _, group := range f.projects {
			group.notify(e.Revision, e)
		}
	case forAdmins(e.Kind):
		f.admins.notify(e.Revision, e)
		fallthrough
	default:
		f.projects[e.Project].notify(e.Revision, e)
	}
}

// notify wakes the idle ones of a group: those who may see an event, or all for nil.
func (ws watchers) notify(revision uint64, e *simcloud.EncodedEvent) {
	for w := range ws {
		if !w.idle || w.first > 0 || e != nil && !w.sees(e) {
			continue
		}
		w.first = revision
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}
