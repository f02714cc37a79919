package sim

import "time"

// Limits are how long a connection may take for each thing, so that a slow or
// silent client costs little, and how much one token may have under way. What is 0 has its default.
type Limits struct {
	Header time.Duration // to send the head of a request; 10 s
	Body   time.Duration // to send a whole request; 30 s
	Answer time.Duration // to take the answer, from the end of the head on; 60 s
	Idle   time.Duration // between two requests; 2 min
	Event  time.Duration // to take one message of a stream; 15 s

	Streams  int // of one token that are open, waits for operations among them; 1000
	Requests int // of one token that are under way besides; 256
}

// maxHeaderBytes is how long the head of a request may be.
const maxHeaderBytes = 64 << 10

func (l Limits) withDefaults() Limits {
	for _, limit := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&l.Header, 10 * time.Second},
		{&l.Body, 30 * time.Second},
		{&l.Answer, time.Minute},
		{&l.Idle, 2 * time.Minute},
		{&l.Event, 15 * time.Second},
	} {
		if *limit.value == 0 {
			*limit.value = limit.fallback
		}
	}
	return l
}
