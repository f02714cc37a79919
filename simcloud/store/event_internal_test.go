package store

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestEncodeEvent: an event is written as encoding/json writes it.
func TestEncodeEvent(t *testing.T) {
	t.Parallel()
	full := simcloud.Event{
		Revision: 18446744073709551615, Time: time.Date(2026, 1, 2, 3, 4, 5, 67_000, time.FixedZone("", 3600)), Type: simcloud.Updated,
		Kind: simcloud.KindVolume, ID: "vol-1", Project: "p", OperationID: "op-1", RequestID: "req-1", Object: json.RawMessage(`{"a":1}`),
	}
	for i := range reflect.TypeFor[simcloud.Event]().NumField() {
		if reflect.ValueOf(full).Field(i).IsZero() {
			t.Errorf("the test has no %s", reflect.TypeFor[simcloud.Event]().Field(i).Name)
		}
	}
	events := []simcloud.Event{full, {Object: nullJSON}}
	for _, text := range []string{`"`, `\`, "<&>", "\x00\t\x1f", "\x7f", "ä\u2028\u2029", "\xff", "plain-1.2/3 é"} {
		e := full
		e.ID, e.Project, e.RequestID = simcloud.ID(text), simcloud.ID(text), text
		events = append(events, e)
	}
	for _, e := range events {
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := encodeEvent(e); err != nil || string(got) != string(want) {
			t.Errorf("it is %s, %v\nwant  %s", got, err, want)
		}
	}
	if raw, err := encodeEvent(simcloud.Event{Time: time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC), Object: nullJSON}); err == nil {
		t.Errorf("a time that has no JSON: %s", raw)
	}
}
