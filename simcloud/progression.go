package simcloud

import (
	"strconv"
	"strings"
	"time"
)

// Progression is how operations take their time. Only those that lead an
// instance, a load balancer or a volume through states take any: the other
// kinds have no state for "not yet". Changes of routes do when there is a progression
// for the kind route_table, which locks the table meanwhile: Hetzner locks a network
// while a route is added, other clouds do not.
type Progression struct {
	Mode ProgressionMode `json:"mode"`
	// Duration is how long an operation takes, Jitter how much longer at most; with ProgressionTime.
	Duration Duration `json:"duration,omitempty"`
	Jitter   Duration `json:"jitter,omitempty"`
	// Polls is how many reads of the resource or of the operation it takes, alone
	// or in a list; the last of them shows what has become of it. Waiting for the operation is
	// all of them at once. A restart begins the count again. With ProgressionPolls.
	Polls int `json:"polls,omitempty"`
}

// ProgressionMode is what operations wait for.
type ProgressionMode string

// The modes of progression. The zero value is immediate.
const (
	ProgressionImmediate ProgressionMode = "immediate" // done in the transaction that starts them
	ProgressionTime      ProgressionMode = "time"      // run until a time of the cloud's clock
	ProgressionPolls     ProgressionMode = "polls"     // run until they have been read often enough
)

// DefaultDuration is how long operations take when mode time does not say.
const DefaultDuration = 2 * time.Second

// maxDuration is how long a duration and a jitter may be. With it no ready
// time is beyond what the store can order.
const maxDuration = 24 * time.Hour

// ParseProgression reads "immediate", "time", "time=5s", "time=5s,jitter=1s" or "polls=3".
func ParseProgression(text string) (Progression, error) {
	mode, jitter, hasJitter := strings.Cut(text, ",jitter=")
	mode, value, hasValue := strings.Cut(mode, "=")
	p := Progression{Mode: ProgressionMode(mode)}
	ok := false
	switch p.Mode {
	case ProgressionImmediate:
		ok = !hasValue && !hasJitter
	case ProgressionTime:
		p.Duration = Duration(DefaultDuration)
		ok = (!hasValue || p.Duration.UnmarshalText([]byte(value)) == nil) &&
			(!hasJitter || p.Jitter.UnmarshalText([]byte(jitter)) == nil)
	case ProgressionPolls:
		n, err := strconv.Atoi(value)
		p.Polls, ok = n, err == nil && !hasJitter
	}
	if !ok {
		return Progression{}, InvalidFields("", []FieldError{{
			Field: "progression", Detail: strconv.Quote(text) + " is not immediate, time, time=5s, time=5s,jitter=1s or polls=3",
		}})
	}
	if err := p.Validate(); err != nil {
		return Progression{}, err
	}
	return p, nil
}

// String is the inverse of ParseProgression.
func (p Progression) String() string {
	switch {
	case p.Mode == ProgressionPolls:
		return "polls=" + strconv.Itoa(p.Polls)
	case p.Mode != ProgressionTime:
		return string(ProgressionImmediate)
	case p.Jitter == 0:
		return "time=" + p.Duration.String()
	default:
		return "time=" + p.Duration.String() + ",jitter=" + p.Jitter.String()
	}
}
