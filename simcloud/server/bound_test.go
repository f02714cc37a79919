package server

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// bound has methods that can be named and are never called.
type bound struct {
	simcloud.API
	simcloud.Control
}

// TestEveryEndpointIsBound: each operation has a handler of its own or a stream, and none has a name that is no operation's.
func TestEveryEndpointIsBound(t *testing.T) {
	t.Parallel()
	s := &server{Config: Config{API: bound{}, Control: bound{}}}
	handlers, streams := s.handlers(), s.streams()
	for _, e := range simcloud.Endpoints() {
		_, handled := handlers[e.Operation]
		_, streamed := streams[e.Operation]
		if handled == streamed {
			t.Errorf("%s: handler %v, stream %v; want one of them", e.Operation, handled, streamed)
		}
		delete(handlers, e.Operation)
		delete(streams, e.Operation)
	}
	for name := range handlers {
		t.Errorf("%s is not an operation", name)
	}
	for name := range streams {
		t.Errorf("%s is not an operation", name)
	}
}

// TestEveryCodeHasASpec: the table has all codes, and no other.
func TestEveryCodeHasASpec(t *testing.T) {
	t.Parallel()
	for _, code := range simcloud.Codes() {
		if s, ok := specs[code]; !ok || s.status < 400 || s.title == "" {
			t.Errorf("%s has the spec %+v", code, s)
		}
	}
	if len(specs) != len(simcloud.Codes()) {
		t.Errorf("%d specs for %d codes", len(specs), len(simcloud.Codes()))
	}
}
