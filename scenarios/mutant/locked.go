package mutant

import (
	"net/http"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// oneCallAtATime lets no call begin while another is under way, by a mutex. That is no bug, but simulated time stands still where the
// call takes any: a goroutine that waits for a mutex is no sleeper.
var oneCallAtATime = Mutant{
	Name: "one-call-at-a-time", Title: "nothing: it holds a mutex over each call of the cloud",
	client: func(c *client.Config) {
		next := c.Transport
		if next == nil {
			next = http.DefaultTransport
		}
		c.Transport = &locked{next: next}
	},
}

// locked is a transport that one request at a time can use.
type locked struct {
	mu   sync.Mutex
	next http.RoundTripper
}

func (l *locked) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next.RoundTrip(r)
}
