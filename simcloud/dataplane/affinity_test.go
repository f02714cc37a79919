package dataplane_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
)

func sticky(seconds int) func(*dataplane.LoadBalancer) {
	return func(lb *dataplane.LoadBalancer) {
		lb.Affinity = simcloud.Affinity{ClientIP: true, TimeoutSeconds: seconds}
	}
}

// TestAffinity: a client stays with its target, over all listeners, until the
// time has passed since its last connection began.
func TestAffinity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.apply(sticky(60))
	clients := []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"}
	var first []string
	for _, from := range clients {
		first = append(first, w.names(1, from)...)
	}
	if len(count(first)) != 3 {
		t.Fatalf("three clients get %v", first)
	}
	for range 3 {
		w.clock.advance(40 * time.Second)
		for i, from := range clients {
			if diff := cmp.Diff(map[string]int{first[i]: 3}, count(w.names(3, from))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", from, diff)
			}
			if got := w.udp(from).ask(t, "hello"); got != first[i] {
				t.Errorf("%s gets %s by UDP, want %s", from, got, first[i])
			}
		}
	}
	w.clock.move(61 * time.Second)
	w.names(1, "127.0.0.4") // so that the next turn is another's
	if got := w.names(1, clients[0])[0]; got == first[0] {
		t.Errorf("%s still gets %s", clients[0], got)
	}
	w.apply()
	if got := count(w.names(3, clients[0])); len(got) != 3 {
		t.Errorf("without affinity one client gets %v", got)
	}
}

// TestAffinityMoves: a client whose target gets no connections gets another
// one, and stays there when the first one is back.
func TestAffinityMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.apply(sticky(0))
	first := w.names(1)[0]
	without := func(lb *dataplane.LoadBalancer) {
		lb.Targets = slices.DeleteFunc(lb.Targets, func(t dataplane.Target) bool { return string(t.Instance) == first })
	}
	w.apply(sticky(0), without)
	second := w.names(1)[0]
	if second == first {
		t.Fatalf("%s is removed, and answers", first)
	}
	w.apply(sticky(0))
	if diff := cmp.Diff(map[string]int{second: 4}, count(w.names(4))); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
	w.clock.jump(dataplane.DefaultAffinityTimeout - time.Minute)
	if diff := cmp.Diff(map[string]int{second: 4}, count(w.names(4))); diff != "" {
		t.Errorf("within three hours (-want +got):\n%s", diff)
	}
}
