package simtest

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// eventsUntil collects the events after a revision up to another one.
func (f *fixture) eventsUntil(after, until uint64) []simcloud.Event {
	f.Helper()
	var events []simcloud.Event
	if after == until {
		return nil
	}
	for event, err := range f.WatchEvents(f.ctx, after) {
		if err != nil {
			f.Fatalf("after %d events: %v", len(events), err)
		}
		events = append(events, event)
		if event.Revision >= until {
			return events
		}
	}
	f.Fatalf("the stream ended after %d events", len(events))
	return nil
}

// story tells events in short.
func story(events []simcloud.Event) []string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%s %s", e.Type, simcloud.Ref(e.Kind, e.ID)))
	}
	return lines
}

// storyOf tells the events of a change, without those of operations.
func (f *fixture) storyOf(change func()) []string {
	f.Helper()
	before := f.revision()
	change()
	var events []simcloud.Event
	for _, event := range f.eventsUntil(before, f.revision()) {
		if event.Kind != simcloud.KindOperation {
			events = append(events, event)
		}
	}
	return story(events)
}
