package core

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func changeAt(seconds int, before string) store.Change {
	return store.Change{
		Kind: simcloud.KindInstance, Sequence: 1, Before: []byte(before),
		Time: epoch.Add(time.Duration(seconds) * time.Second), Revision: uint64(seconds), Commit: 7,
	}
}

// shows fails the test unless the place held that at a moment; "" means what it holds.
func shows(t *testing.T, h *history, seconds int, want string) {
	t.Helper()
	past := h.past(simcloud.KindInstance, epoch.Add(time.Duration(seconds)*time.Second), 7)
	if diff := cmp.Diff(want, string(past.Before[1])); diff != "" {
		t.Errorf("at second %d (-want +got):\n%s", seconds, diff)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	var h history
	h.Record([]store.Change{changeAt(10, "a"), changeAt(10, "b"), changeAt(20, "c")})
	shows(t, &h, 9, "a")
	shows(t, &h, 10, "c") // all of a moment is over at that moment
	shows(t, &h, 20, "")
	h.Record([]store.Change{changeAt(15, "d")}) // a machine's clock that was put back
	shows(t, &h, 19, "c")
	shows(t, &h, 20, "")
	unseen := changeAt(30, "e")
	unseen.Commit = 8
	h.Record([]store.Change{unseen})
	shows(t, &h, 29, "") // who reads has not seen it happen
	h.Forget()
	h.Record([]store.Change{changeAt(30, "e")})
	shows(t, &h, 29, "e")
	h.Forget()
	shows(t, &h, 29, "")
	h.Renew()
	shows(t, &h, 0, "")
	if h.bytes != 0 {
		t.Errorf("nothing takes %d bytes", h.bytes)
	}
}

// TestHistoryForgets: what is too old or too much goes, and whoever asks for a
// time before that sees the oldest that there is.
func TestHistoryForgets(t *testing.T) {
	t.Parallel()
	const ten = int(rememberedTime / time.Second)
	var h history
	h.Record([]store.Change{changeAt(1, "a"), changeAt(2, "b")})
	h.Record([]store.Change{changeAt(2+ten, "c")})
	shows(t, &h, 0, "b")
	if len(h.changes) != 2 {
		t.Errorf("%d changes are kept", len(h.changes))
	}
	large := string(make([]byte, rememberedBytes/2))
	h.Record([]store.Change{changeAt(3+ten, large), changeAt(4+ten, "d"), changeAt(5+ten, large)})
	shows(t, &h, 0, "d")
	if h.bytes > rememberedBytes {
		t.Errorf("%d bytes are kept", h.bytes)
	}
	h.Record([]store.Change{changeAt(6+ten, large+large)})
	shows(t, &h, 0, "")
	if len(h.changes) != 0 || h.bytes != 0 {
		t.Errorf("%d changes of %d bytes are kept", len(h.changes), h.bytes)
	}
	h.Forget()
}
