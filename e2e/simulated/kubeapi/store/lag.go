package store

import (
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Lag is how a cache is behind.
type Lag struct {
	// Revision is what it shows. What happens later comes when the lag ends.
	Revision uint64
	// Refills says how it catches up: from a list of what there is then, so that it no longer has the changes up to there, and
	// clients whose watches began before have to list. Without it, they get all changes in their order.
	Refills bool
	// OtherServer is whether the cache is that of another API server than before, whose feature gate WatchList is off. Watches
	// that are open end.
	OtherServer bool
}

// Lag lets the cache be behind for some resources: until a time has passed, or for 0 until [Cache.CatchUp]. It answers
// Conflict when it is behind for one of them already.
func (c *Cache) Lag(resources []string, how Lag, lasts time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	behind := slices.DeleteFunc(slices.Clone(resources), func(r string) bool { return c.viewLocked(r).lag == nil })
	if len(behind) > 0 {
		return simcloud.Errorf(simcloud.Conflict, "cache", "it is behind already for %s", strings.Join(behind, ", "))
	}
	for _, r := range resources {
		v := c.viewLocked(r)
		v.lag = &how
		if how.OtherServer {
			v.server++
		}
	}
	c.tellLocked()
	if lasts > 0 {
		time.AfterFunc(lasts, func() { c.end(&how) })
	}
	return nil
}

// WatchList reports whether a watch of a resource can begin with what is there.
func (c *Cache) WatchList(resource string) bool {
	v, _ := c.look(resource)
	return v.lag == nil || !v.lag.OtherServer
}

// CatchUp ends all lags.
func (c *Cache) CatchUp() { c.end(nil) }

// end ends a lag, or all of them for nil.
func (c *Cache) end(lag *Lag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.db.Revision()
	for _, v := range c.views {
		if v.lag == nil || lag != nil && v.lag != lag {
			continue
		}
		if v.lag.Refills {
			v.forgotten = now
		}
		v.lag = nil
	}
	c.tellLocked()
}

// tellLocked wakes those who wait for another view.
func (c *Cache) tellLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}
