package edge

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// limiter has the token buckets of all tokens, projects and classes, in memory: a server
// begins with full ones.
type limiter struct {
	mu      sync.Mutex
	buckets map[bucketKey]*bucket
}

// bucketKey names a bucket. A class whose rate is changed begins with a full one.
type bucketKey struct {
	owner simcloud.ID // a token or a project, by the scope of the rate
	rate  simcloud.Rate
}

// keyOf names the bucket of a caller.
func keyOf(caller simcloud.Caller, rate simcloud.Rate) bucketKey {
	if rate.Scope == simcloud.RateOfProject && caller.Project != "" {
		return bucketKey{caller.Project, rate}
	}
	return bucketKey{caller.Token, rate}
}

// bucket is how many calls are left, as of a time of the cloud's clock.
type bucket struct {
	rate simcloud.Rate
	left float64
	at   time.Time
}

// allowance is what the tightest class that a call is in leaves. Its durations are the cloud's.
type allowance struct {
	rate      simcloud.Rate
	remaining int
	full      time.Duration // until all calls are there again
	wait      time.Duration // until there is one; 0 when the call may go on
}

// maxBuckets is how many buckets there are before those that are full go.
const maxBuckets = 4096

func newLimiter() *limiter { return &limiter{buckets: map[bucketKey]*bucket{}} }

// take takes a call out of all its buckets, or out of none when one is empty.
func (l *limiter) take(caller simcloud.Caller, rates []simcloud.Rate, now time.Time) allowance {
	l.mu.Lock()
	defer l.mu.Unlock()
	var mine []*bucket
	for _, rate := range rates {
		if b := l.bucket(keyOf(caller, rate), now); !slices.Contains(mine, b) {
			mine = append(mine, b)
		}
	}
	tightest := slices.MaxFunc(mine, func(a, b *bucket) int {
		if a.wait() != b.wait() {
			return int(a.wait() - b.wait())
		}
		return int(b.left) - int(a.left)
	})
	wait := tightest.wait()
	if wait == 0 {
		for _, b := range mine {
			b.left--
		}
	}
	return allowance{tightest.rate, int(tightest.left), tightest.until(float64(tightest.rate.Burst)), wait}
}

// forget fills all buckets.
func (l *limiter) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.buckets)
}

// bucket returns the bucket as it is now.
func (l *limiter) bucket(key bucketKey, now time.Time) *bucket {
	b, ok := l.buckets[key]
	if !ok {
		l.sweep(now)
		b = &bucket{key.rate, float64(key.rate.Burst), now}
		l.buckets[key] = b
	}
	b.fill(now)
	return b
}

// sweep removes full buckets, which have no effect, when there are many.
func (l *limiter) sweep(now time.Time) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for key, b := range l.buckets {
		if b.fill(now); b.until(float64(b.rate.Burst)) == 0 {
			delete(l.buckets, key)
		}
	}
}

func (b *bucket) fill(now time.Time) {
	elapsed := max(0, now.Sub(b.at).Seconds())
	b.left = min(float64(b.rate.Burst), b.left+elapsed*b.rate.PerSecond)
	b.at = now
}

// until is how long the bucket takes to have so many calls.
func (b *bucket) until(calls float64) time.Duration {
	missing := calls - b.left
	if missing <= 0 {
		return 0
	}
	return time.Duration(min(math.Ceil(missing/b.rate.PerSecond*float64(time.Second)), float64(maxRateWait)))
}

func (b *bucket) wait() time.Duration { return b.until(1) }

// maxRateWait keeps what very slow rates ask for within what headers say.
const maxRateWait = 24 * time.Hour

// Allowance is what the tightest class that a call is in leaves its caller. Durations
// and times are real ones; those of a cloud whose clock stands still are its own.
type Allowance struct {
	// Class is that of the rate, and Limit the calls that it holds.
	Class string
	Limit int
	// Remaining is how many calls are left after this one.
	Remaining int
	// Full is how long it takes until all calls are there again, and FullAt when that is.
	Full   time.Duration
	FullAt time.Time
}

// RateWriter is a [Codec] whose format has headers of its own for how often a caller
// may call. Without it answers have those of draft-ietf-httpapi-ratelimit-headers-06.
type RateWriter interface {
	// WriteRate sets the headers of an answer to a call that a rate counts, also of one that is refused.
	WriteRate(header http.Header, a Allowance)
}

// writeRate sets the headers of draft-ietf-httpapi-ratelimit-headers-06.
func writeRate(header http.Header, a Allowance) {
	for name, n := range map[string]int{
		"RateLimit-Limit": a.Limit, "RateLimit-Remaining": a.Remaining, "RateLimit-Reset": Seconds(a.Full),
	} {
		header.Set(name, strconv.Itoa(n))
	}
}

// limited takes the call out of its buckets and says in the headers of the
// answer how many are left. The simulator's own calls are never limited.
func (c *call) limited() error {
	rates := c.edge.Rates()
	if len(rates) == 0 || !ofCloud(c.endpoint) {
		return nil
	}
	rates = slices.DeleteFunc(slices.Clone(rates), func(r simcloud.Rate) bool { return !inClass(r.Class, c.endpoint) })
	if len(rates) == 0 {
		return nil
	}
	clock := c.edge.Clock()
	a := c.edge.limiter.take(c.caller, rates, clock.Now)
	write, full := writeRate, realTime(clock, a.full)
	if codec, own := c.codec.(RateWriter); own {
		write = codec.WriteRate
	}
	write(c.header, Allowance{a.rate.Class, a.rate.Burst, a.remaining, full, c.begun.Add(full)})
	if a.wait == 0 {
		return nil
	}
	c.edge.metrics.limited.WithLabelValues(a.rate.Class).Inc()
	return &simcloud.Error{
		Code: simcloud.RateLimited, RetryAfter: max(realTime(clock, a.wait), time.Millisecond),
		Message: "the class " + a.rate.Class + " allows " + strconv.FormatFloat(a.rate.PerSecond, 'g', -1, 64) +
			" calls a second, and " + strconv.Itoa(a.rate.Burst) + " at once",
	}
}

// ofCloud reports whether an operation is one of the cloud, not of the simulator itself.
func ofCloud(e simcloud.Endpoint) bool { return strings.HasPrefix(e.Path, "/v1/") }

// inClass reports whether the calls of an operation are in a class.
func inClass(class string, e simcloud.Endpoint) bool {
	switch class {
	case "read":
		return !e.Write()
	case "write":
		return e.Write()
	default:
		return simcloud.Glob(class, e.Operation)
	}
}

// realTime is how long a caller has to wait for a time of the cloud. A clock
// that stands still gets there when an admin advances it: its own time is said then.
func realTime(clock simcloud.ClockStatus, d time.Duration) time.Duration {
	if clock.Mode == simcloud.ClockScaled {
		return time.Duration(min(float64(d)/clock.Factor, float64(maxRateWait)))
	}
	return d
}

// Seconds rounds a wait up to whole seconds, as headers have it.
func Seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
