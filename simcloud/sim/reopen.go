package sim

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Reopen closes the cloud and opens it again from its file, at the same
// address, as if its process had restarted: what it kept in memory alone, such
// as fault rules, the past and the levels of rates, is gone. The journal goes
// on, so that no reader misses a call. Calls that are still under way
// when patience is over are cut off; ctx bounds the whole. The old cloud is closed whatever comes of it.
func (c *Cloud) Reopen(ctx context.Context, patience time.Duration) (*Cloud, error) {
	err := error(simcloud.Errorf(simcloud.Conflict, "", "the cloud is closed already"))
	c.closing.Do(func() { err = c.leave(ctx, patience) })
	if err != nil {
		return nil, err
	}
	cfg := c.config
	cfg.Token = c.admin.secret
	cfg.Progression, cfg.Clock = simcloud.Progression{}, simcloud.ClockSpec{} // as the cloud has them by now
	cfg.Listen = c.listener.Addr().String()
	listener, err := cfg.listenAgain(ctx, cfg.Listen)
	if err != nil {
		return nil, errors.Join(err, c.removeScratch())
	}
	local, err := listenLocal(ctx, cfg, listener.Addr(), cfg.listenAgain)
	if err != nil {
		return nil, errors.Join(err, listener.Close(), c.removeScratch())
	}
	next := &Cloud{config: cfg, listener: listener, local: local, commits: newStoreMetrics(), scratch: c.scratch}
	next.journal = c.journal.Continue(next.now)
	return next.begin(ctx)
}

// leave closes all but what the next cloud needs.
func (c *Cloud) leave(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := c.shut(ctx); err != nil {
		return errors.Join(err, c.removeScratch())
	}
	return nil
}

// listenPeriod is how often it is tried to listen at an address that another process
// has taken meanwhile, most likely for a moment.
const listenPeriod = 20 * time.Millisecond

// listenPatience is after how long who has taken the address does not seem to give it back.
const listenPatience = 30 * time.Second

func (c Config) listenAgain(ctx context.Context, address string) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, listenPatience)
	defer cancel()
	tick := time.NewTicker(listenPeriod)
	defer tick.Stop()
	for {
		listener, err := c.listen(ctx, address)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return listener, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}
