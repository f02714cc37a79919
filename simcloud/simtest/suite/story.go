package suite

import (
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// EventsUntil collects the events after a revision up to another one.
func (f *Fixture) EventsUntil(after, until uint64) []simcloud.Event {
	f.Helper()
	var events []simcloud.Event
	if after == until {
		return nil
	}
	for event, err := range f.WatchEvents(f.Ctx, after) {
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

// Story tells events in short.
func Story(events []simcloud.Event) []string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%s %s", e.Type, simcloud.Ref(e.Kind, e.ID)))
	}
	return lines
}

// StoryOf tells the events of a change, without those of operations.
func (f *Fixture) StoryOf(change func()) []string {
	f.Helper()
	before := f.Revision()
	change()
	var events []simcloud.Event
	for _, event := range f.EventsUntil(before, f.Revision()) {
		if event.Kind != simcloud.KindOperation {
			events = append(events, event)
		}
	}
	return Story(events)
}
