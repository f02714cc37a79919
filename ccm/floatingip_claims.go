package ccm

import (
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// claims are the floating IPs whose claim had no answer. One that takes effect
// when its Service is gone would be lent out for ever.
type claims struct {
	now func() time.Time

	mu   sync.Mutex
	open map[types.UID]map[simcloud.ID]time.Time // when the answer was given up
}

// note takes how a claim ended. The version that a claim is for lets no second
// one have an effect once another change is seen; any other refusal says nothing
// of an earlier claim.
func (c *claims) note(owner types.UID, id simcloud.ID, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, simcloud.Conflict), isGone(err):
		if delete(c.open[owner], id); len(c.open[owner]) == 0 {
			delete(c.open, owner)
		}
		return
	case refused(err):
		return
	}
	if c.open == nil {
		c.open = map[types.UID]map[simcloud.ID]time.Time{}
	}
	if c.open[owner] == nil {
		c.open[owner] = map[simcloud.ID]time.Time{}
	}
	c.open[owner][id] = c.now()
}

// overdue is an error while a claim may still take effect. What is old is forgotten.
func (c *claims) overdue(owner types.UID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, since := range c.open[owner] {
		if c.now().Sub(since) < unsettledFor {
			return notReady("the claim of %s had no answer, and may still take effect", simcloud.Ref(simcloud.KindFloatingIP, id))
		}
	}
	delete(c.open, owner)
	return nil
}

// settle forgets the claims of floating IPs that are listed as the owner's.
func (c *claims) settle(owner types.UID, listed []simcloud.FloatingIP) {
	for _, ip := range listed {
		c.note(owner, ip.ID, nil)
	}
}
