// Package core is the cloud itself: it decides what each operation does. It
// implements [simcloud.API] and [simcloud.Control] over a store.
//
// Every mutation is one transaction that reads, decides and writes, so that no
// rule is checked outside of the write that relies on it. Time, chance and ids
// come from the clock, the seed and the counters in the store.
package core

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Config is what a cloud is made of.
type Config struct {
	// DB is where the cloud is kept. Open takes it over: it is closed with the
	// cloud, and when Open fails.
	DB *store.DB
	// Clock is the machine's clock; nil means the real one.
	Clock Clock
	// Seed is what all chance of a new cloud comes from. A cloud that is
	// there already goes on with its own.
	Seed uint64
	// Networks are the ranges of the default network, at most one of each
	// family; none means 10.0.0.0/16. FloatingCIDRs are those of the pools public
	// (IPv4) and public-v6; a family without one has FloatingPoolCIDR or
	// FloatingPoolV6CIDR. They make a new cloud, and a reset leads back to them;
	// a cloud that is there already stays as it is until then.
	Networks, FloatingCIDRs []string
	// Progression is how operations take their time. It comes before what the
	// store has, and stays there; the zero value leaves that as it is, which
	// is immediate in a new cloud.
	Progression simcloud.Progression
	// DataPlane is whether ReportTargetHealth decides the health of targets.
	// Without it what a former data plane has reported is forgotten.
	DataPlane bool
	// Snapshots is the folder of the snapshots, which is made by the first one;
	// empty means that of the data file with ".snapshots" behind its name.
	Snapshots string
	// HistoryBytes bounds the past that stale reads show, and AnswerBytes the answers of Remember; 0 means 64 and 32 MiB.
	HistoryBytes, AnswerBytes int
	// CheckDocument reports why the dialect of a document cannot read it. A document of which it does is not written. nil takes all.
	CheckDocument func(simcloud.Document) error
	// Log gets what no caller can be told; nil discards it.
	Log *slog.Logger
}

// Cloud is a running cloud. Its methods may be called by many goroutines.
type Cloud struct {
	mutations
	db     *store.DB
	clock  *clock
	seed   atomic.Uint64
	memory memory
	config atomic.Pointer[simcloud.Config] // in force; what it points to never changes
	log    *slog.Logger
	ranges ranges

	callers callers

	reported bool // whether a data plane reports the health of targets
	traffic  atomic.Pointer[func() []simcloud.DataPlaneListener]

	checkDocument func(simcloud.Document) error // never nil

	snapshots string       // the folder
	saving    sync.RWMutex // whoever changes the folder has it alone

	waiters waiters
	polls   polls
	history history
	deleted deletions
	feed    feed
	nextDue atomic.Int64 // when the first operation is ready, in Unix nanoseconds; 0: none runs
	wake    chan struct{}
	closing chan struct{}
	once    sync.Once
	worker  sync.WaitGroup
}

var (
	_ simcloud.API     = (*Cloud)(nil)
	_ simcloud.Control = (*Cloud)(nil)
)

// Open starts the cloud that the store holds. In an empty store it makes the
// default topology first. Operations that ran when the cloud was closed go on.
func Open(cfg Config) (*Cloud, error) {
	c := &Cloud{
		db:       cfg.DB,
		clock:    newClock(cfg.Clock),
		log:      cfg.Log,
		reported: cfg.DataPlane,
		wake:     make(chan struct{}, 1),
		closing:  make(chan struct{}),
	}
	c.history.limit, c.memory.limit = cfg.HistoryBytes, cfg.AnswerBytes
	c.mutations = mutations{cloud: c}
	if c.checkDocument = cfg.CheckDocument; c.checkDocument == nil {
		c.checkDocument = func(simcloud.Document) error { return nil }
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.snapshots = cfg.Snapshots; c.snapshots == "" {
		c.snapshots = cfg.DB.Path() + ".snapshots"
	}
	if err := c.begin(cfg); err != nil {
		_ = c.db.Close() // the error that matters is why it did not begin
		return nil, err
	}
	if err := c.db.View(c.reportUnreadable); err != nil {
		_ = c.db.Close()
		return nil, err
	}
	c.db.SetRecorder(&c.history)
	c.db.SetPublisher(&c.feed)
	c.worker.Go(c.complete)
	return c, nil
}

// begin reads what the store says of the cloud as a whole, or writes it.
func (c *Cloud) begin(cfg Config) error {
	if err := cfg.Progression.Validate(); err != nil {
		return err
	}
	var err error
	if c.ranges, err = cfg.ranges(); err != nil {
		return err
	}
	if err := c.configure(cfg.Progression); err != nil {
		return err
	}
	var fresh bool
	err = c.db.View(func(tx *store.Tx) error {
		kept, known, err := store.Seed.Get(tx)
		if err != nil {
			return err
		}
		c.seed.Store(kept)
		fresh = !known
		c.noteDue(tx, func(note func()) { note() })
		return c.clock.load(tx)
	})
	if err != nil {
		return err
	}
	if fresh {
		err = c.beginAnew(cfg.Seed)
	} else {
		err = c.beginHealth()
	}
	if err != nil {
		return err
	}
	return c.db.View(func(tx *store.Tx) error {
		c.feed.last = tx.Revision()
		return nil
	})
}

// beginAnew makes the cloud of an empty store.
func (c *Cloud) beginAnew(seed uint64) error {
	c.seed.Store(seed)
	return c.db.UpdateAlone(func(tx *store.Tx) error {
		if err := store.Seed.Put(tx, seed); err != nil {
			return err
		}
		if err := c.clock.save(tx, c.clock.current()); err != nil {
			return err
		}
		return c.newTxn(tx, simcloud.Caller{}).makeTopology()
	})
}

// Broken returns a channel that is closed when the cloud cannot go on, because
// its data file is damaged. Everything fails then, and Close says why.
func (c *Cloud) Broken() <-chan struct{} { return c.db.Broken() }

// Memory is about how much the cloud keeps in memory, in bytes.
type Memory struct{ History, Answers int }

// Memory returns how much the cloud keeps in memory beside its data file.
func (c *Cloud) Memory() Memory { return Memory{History: c.history.size(), Answers: c.memory.size()} }

// Close stops the cloud and closes its store. Those who wait or watch get
// Unavailable. Closing twice is closing once.
func (c *Cloud) Close() error {
	var err error
	c.once.Do(func() {
		close(c.closing)
		c.worker.Wait()
		err = c.db.UpdateAlone(func(tx *store.Tx) error { return c.clock.save(tx, c.clock.current()) })
		err = errors.Join(err, c.db.Close())
	})
	return err
}

func errClosing() error {
	return simcloud.Errorf(simcloud.Unavailable, "", "the cloud is closing")
}

// txn is one transaction on the cloud. Its methods need one; those of Cloud begin their own.
type txn struct {
	cloud  *Cloud
	tx     *store.Tx
	req    request
	caller simcloud.Caller
	whole  *whole // that the call is a part of, by Atomic; nil for a call of its own
	// operation is the id of the operation that the call makes.
	operation simcloud.ID
	now       time.Time
	seed      uint64
	// behaviour is the configuration in force when the transaction began.
	behaviour *simcloud.Config
	outcome   simcloud.Outcome // instead of the right one
	former    *store.Effect    // what leads back to before the call; nil where its outcome does not ask for it
	// atOnce is whether operations take no time, whatever the progression says.
	atOnce bool
	// downTakes is whether a zone that is down takes what is made or started in it.
	downTakes bool
}

func (c *Cloud) newTxn(tx *store.Tx, caller simcloud.Caller) *txn {
	return &txn{
		cloud: c, tx: tx, caller: caller, now: c.clock.now(), seed: c.seed.Load(), behaviour: c.config.Load(),
	}
}

// view reads from the cloud as it is now: what is due has happened.
func (c *Cloud) view(ctx context.Context, fn func(tx *store.Tx, caller simcloud.Caller) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w, err := c.wholeOf(ctx); err != nil {
		return err
	} else if w != nil {
		if w.reads != nil {
			w.reads.views++
		}
		return fn(w.tx, simcloud.CallerFrom(ctx))
	}
	if err := c.settle(); err != nil {
		return err
	}
	return c.db.View(func(tx *store.Tx) error { return fn(tx, simcloud.CallerFrom(ctx)) })
}
