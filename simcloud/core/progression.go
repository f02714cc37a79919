package core

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The modes of progression.
const (
	Immediate = "immediate" // operations are done in the transaction that starts them
	Time      = "time"      // they run until a time of the cloud's clock
)

// DefaultDuration is how long operations take when mode time does not say.
const DefaultDuration = 2 * time.Second

// Progression is how operations take their time. Only those that lead an
// instance or a load balancer through states take any: the other kinds have no
// state for "not yet".
type Progression struct {
	Mode string // Immediate or Time; empty means Immediate
	// Duration is how long an operation takes, Jitter how much longer at most.
	Duration, Jitter time.Duration
}

// ParseProgression reads "immediate", "time", "time=5s" or "time=5s,jitter=1s".
func ParseProgression(text string) (Progression, error) {
	mode, jitter, hasJitter := strings.Cut(text, ",")
	mode, duration, hasDuration := strings.Cut(mode, "=")
	p := Progression{Mode: mode, Duration: DefaultDuration}
	ok := mode == Time
	if mode == Immediate {
		p.Duration, ok = 0, !hasDuration && !hasJitter
	}
	if ok && hasDuration {
		p.Duration, ok = parseDuration(duration)
	}
	if ok && hasJitter {
		value, found := strings.CutPrefix(jitter, "jitter=")
		p.Jitter, ok = parseDuration(value)
		ok = ok && found
	}
	if !ok {
		return Progression{}, invalid("", "progression", "%q is not immediate, time, time=5s or time=5s,jitter=1s", text)
	}
	if err := p.validate(); err != nil {
		return Progression{}, err
	}
	return p, nil
}

func parseDuration(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// maxDuration is how long a duration and a jitter may be. With it no ready
// time is beyond what the store can order.
const maxDuration = 24 * time.Hour

func (p Progression) validate() error {
	for _, d := range []time.Duration{p.Duration, p.Jitter} {
		if d < 0 || d > maxDuration {
			return invalid("", "progression", "%s is not right for a duration or a jitter: 0s to %s", d, maxDuration)
		}
	}
	return nil
}

// String is the inverse of ParseProgression.
func (p Progression) String() string {
	switch {
	case !p.slow():
		return Immediate
	case p.Jitter == 0:
		return Time + "=" + p.Duration.String()
	default:
		return Time + "=" + p.Duration.String() + ",jitter=" + p.Jitter.String()
	}
}

func (p Progression) slow() bool { return p.Mode == Time }

// delay is how long one operation takes. It is the same for the same seed and operation.
func (p Progression) delay(seed uint64, op simcloud.ID) time.Duration {
	if p.Jitter <= 0 {
		return p.Duration
	}
	dice := rand.New(rand.NewPCG(seed, hash("jitter", string(op))))
	return p.Duration + time.Duration(dice.Int64N(int64(p.Jitter)+1))
}
