// Package sim makes a cloud of its parts: it is the only place that joins
// store, core, journal and server, for the command, for tests and for e2e alike.
package sim

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/dataplane"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/journal"
	"github.com/simcloud-dev/simcloud/simcloud/server"
)

// Config is what a cloud is made of. Exactly one of Data and Ephemeral is set.
type Config struct {
	// Data is the file that keeps the cloud; it is made when there is none.
	Data string
	// Ephemeral keeps the cloud in a file of its own that is deleted with it, in the
	// folder Scratch; empty is the one that the system has for such.
	Ephemeral bool
	Scratch   string
	// Listen is the address to serve at; empty means a free port of 127.0.0.1.
	Listen string
	// Loopback serves at the same port of 127.0.0.1, too, where the cloud has another address: some clients send
	// credentials to no other one without TLS.
	Loopback bool
	// Sockets opens what the cloud serves at, also when it is opened again; nil means sockets of this machine.
	Sockets Sockets
	// TokenFile is where the admin's secret is written, mode 0600. A secret
	// that is there already is used. Empty means that it is written nowhere.
	TokenFile string
	// Token is the admin's secret; empty means that of TokenFile, or else a random one.
	Token string
	// Seed is what all chance of a new cloud comes from.
	Seed uint64
	// Networks are the ranges of a new cloud's default network, FloatingCIDRs
	// those of its pools of floating IPs; see core.Config. A reset leads back to them.
	Networks, FloatingCIDRs []string
	// Progression is how operations take their time. The zero value leaves it
	// as the cloud was configured, which is immediate in a new cloud.
	Progression simcloud.Progression
	// Clock is how the cloud's clock runs; the zero value leaves it as it is, which is real in a new cloud.
	Clock simcloud.ClockSpec
	// DataPlane lets load balancers really listen on their VIPs and forward to
	// their targets, with health checks. An address that this machine does not
	// have stays silent, and GetDataPlane says why.
	DataPlane bool
	// TargetNetworks are where the data plane forwards to; nil means this
	// machine's own addresses. To others it sends nothing: other hosts may have them.
	TargetNetworks []netip.Prefix
	// TLS is how the cloud serves over HTTPS; the zero value is plain HTTP.
	TLS TLS
	// Limits are how long slow clients may take, and how much each token may have under way.
	Limits Limits
	// MemoryBudget bounds what the cloud keeps in memory of the past, in bytes: its journal, the states that stale reads show, and
	// answers that it remembers. 0 means DefaultMemoryBudget.
	MemoryBudget int
	// AllowedHosts are names by which the cloud may be called at its loopback addresses, beside localhost, addresses of loopback, and
	// the name of Listen; AnyHost allows all. Calls at other addresses may have any.
	AllowedHosts []string
	// Cluster is what the console shows of the Kubernetes cluster on the cloud, which whoever has made it writes; nil without one.
	Cluster *console.Cluster
	// Profile serves profiles of the process at /debug/pprof/, to admins.
	Profile bool
	// Log gets what happens; nil discards it.
	Log *slog.Logger
}

// Sockets opens listeners, such as a *wire.Network does in memory. An address
// that is taken is syscall.EADDRINUSE.
type Sockets interface {
	Listen(ctx context.Context, address string) (net.Listener, error)
}

// Cloud is a cloud that serves.
type Cloud struct {
	config   Config
	core     *core.Cloud
	journal  *journal.Journal
	faults   *fault.Set
	listener net.Listener
	local    net.Listener // of Config.Loopback; nil where it is not needed
	server   *http.Server
	serving  sync.WaitGroup
	scratch  *scratch // of an ephemeral cloud; nil for one that is kept
	admin    admin
	commits  storeMetrics
	// descriptors notes when connections cannot be accepted.
	descriptors *descriptors
	plane       *dataplane.DataPlane // nil without one
	packets     *prometheus.Registry // what the data plane counts; nil without one
	tls         *tls.Config          // nil for plain HTTP
	caFile      string               // of the CA that was made for the cloud

	ended  chan struct{}
	failed error // valid once ended is closed

	stopStreams context.CancelCauseFunc
	closing     sync.Once
	closed      error
}

// Open starts a cloud and serves it. Its errors name the field of Config that
// helps: Invalid for one that can never be right, Unavailable for what the
// machine does not allow, such as a taken port or a data file in use.
func Open(ctx context.Context, cfg Config) (*Cloud, error) {
	cfg.MemoryBudget = cmp.Or(cfg.MemoryBudget, DefaultMemoryBudget)
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	// Listen first: who connects from now on waits instead of being refused.
	listener, err := cfg.listen(ctx, cfg.Listen)
	if err != nil {
		return nil, err
	}
	local, err := listenLocal(ctx, cfg, listener.Addr(), cfg.listen)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return (&Cloud{config: cfg, listener: listener, local: local, commits: newStoreMetrics()}).begin(ctx)
}

// begin opens the cloud behind its listener, and serves it.
func (c *Cloud) begin(ctx context.Context) (*Cloud, error) {
	err := c.open(ctx, c.config)
	if err == nil {
		err = c.startDataPlane(ctx, c.config)
	}
	if err != nil {
		return nil, errors.Join(err, c.abandon())
	}
	c.serve(ctx, c.config)
	return c, nil
}

// open opens what is served.
func (c *Cloud) open(ctx context.Context, cfg Config) error {
	secret, err := givenSecret(cfg) // before there is a data file that a mistake would leave behind
	if err != nil {
		return err
	}
	if err := c.secure(cfg); err != nil {
		return err
	}
	db, err := c.openStore(cfg)
	if err != nil {
		return err
	}
	described, may := Dialects(), shares(cfg.MemoryBudget)
	c.core, err = core.Open(core.Config{
		DB: db, Seed: cfg.Seed, Progression: cfg.Progression, Log: cfg.Log,
		Networks: cfg.Networks, FloatingCIDRs: cfg.FloatingCIDRs, DataPlane: cfg.DataPlane,
		HistoryBytes: may.history, AnswerBytes: may.answers,
		CheckDocument: func(d simcloud.Document) error { return dialect.CheckDocument(described, d) },
	})
	if err != nil {
		return err
	}
	if cfg.Clock.Mode != "" {
		if _, err := c.core.SetClock(ctx, cfg.Clock); err != nil {
			return err
		}
	}
	if c.admin, err = ensureAdmin(ctx, c.core, cfg, secret); err != nil {
		return err
	}
	if c.journal == nil {
		c.journal = journal.New(journal.DefaultCapacity, c.now)
	}
	c.journal.SetBudget(may.journal)
	c.faults = c.newFaults()
	return nil
}

// now is the cloud's time, which is also the journal's.
func (c *Cloud) now() time.Time { return c.clock().Now }

// clock is the cloud's clock.
func (c *Cloud) clock() simcloud.ClockStatus {
	status, err := c.core.GetClock(context.Background())
	if err != nil { // an admin in the same process always may
		return simcloud.ClockStatus{ClockSpec: simcloud.ClockSpec{Mode: simcloud.ClockReal}, Now: time.Now().UTC()}
	}
	return status
}

// serve begins to answer.
func (c *Cloud) serve(ctx context.Context, cfg Config) {
	limits := cfg.Limits.withDefaults()
	c.descriptors = newDescriptors(cfg.Log)
	base, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	c.stopStreams = stop
	c.server = newHTTPServer(base, server.New(server.Config{
		API: c.core, Control: c.core, Ready: c.ready, Profile: cfg.Profile, Cluster: cfg.Cluster, Dialects: dialects(c.core, c.core, c.admin.secret), Titles: titles(), Host: hostsOf(cfg),
		Config: edge.Config{
			Journal: c.journal, Faults: c.faults, Auth: c.core, Log: cfg.Log, Rates: c.core.Rates, Clock: c.clock,
			EventLimit: limits.Event, Streams: limits.Streams, Requests: limits.Requests,
			Collectors: c.collectors(),
		},
	}), limits, cfg.Log)
	c.ended = make(chan struct{})
	c.serving.Go(func() {
		defer close(c.ended)
		if err := c.server.Serve(c.accepting(base, c.listener)); !errors.Is(err, http.ErrServerClosed) {
			c.failed = simcloud.Errorf(simcloud.Unavailable, "", "the cloud at %s does not serve any more: %w", c.URL(), err)
		}
	})
	if c.local == nil {
		return
	}
	c.serving.Go(func() {
		if err := c.server.Serve(c.accepting(base, c.local)); !errors.Is(err, http.ErrServerClosed) {
			cfg.Log.Error("the cloud does not serve any more at its loopback address", "url", c.LocalURL(), "error", err)
		}
	})
}

// ready reports whether the data file can be read.
func (c *Cloud) ready() error {
	_, err := c.core.ListRegions(context.Background(), simcloud.ListOptions{PageSize: 1})
	return err
}

// Done is closed when the cloud does not serve any more, by Close or by itself.
func (c *Cloud) Done() <-chan struct{} { return c.ended }

// Err says, once Done is closed, why the cloud ended by itself; nil after Close.
func (c *Cloud) Err() error {
	select {
	case <-c.ended:
		return c.failed
	default:
		return nil
	}
}

// Broken returns a channel that is closed when the cloud can only be closed any
// more, because its data file is damaged; Close returns the error.
func (c *Cloud) Broken() <-chan struct{} { return c.core.Broken() }

// URL returns where the cloud is, such as "http://127.0.0.1:8080". A cloud that
// listens at all addresses of the machine is found at its loopback address.
func (c *Cloud) URL() string {
	if c.tls != nil {
		return "https://" + reachable(c.listener.Addr())
	}
	return "http://" + reachable(c.listener.Addr())
}

// LocalURL returns where processes of this machine find the cloud: at its loopback address, if it has one.
func (c *Cloud) LocalURL() string {
	if c.local == nil {
		return c.URL()
	}
	scheme, _, _ := strings.Cut(c.URL(), "://")
	return scheme + "://" + c.local.Addr().String()
}

// SendsTokensInClear reports whether other machines may reach the cloud without TLS.
func (c *Cloud) SendsTokensInClear() bool {
	address, ok := c.listener.Addr().(*net.TCPAddr)
	return ok && c.tls == nil && !address.IP.IsLoopback()
}

// CAFile returns the file with the CA that was made for the cloud; empty without one.
func (c *Cloud) CAFile() string { return c.caFile }

// Token returns the admin's secret; empty when only its holder knows it.
func (c *Cloud) Token() string { return c.admin.secret }

// TokenCreated reports whether this start has made the admin's token.
func (c *Cloud) TokenCreated() bool { return c.admin.created }

// Core returns the cloud itself, for code in the same process.
func (c *Cloud) Core() *core.Cloud { return c.core }

// Journal returns the record of the calls that came over HTTP.
func (c *Cloud) Journal() *journal.Journal { return c.journal }

// Close ends the streams, lets the requests under way end until ctx does, cuts
// off what is left of them, which is no error, and closes the data file.
// Closing twice is closing once.
func (c *Cloud) Close(ctx context.Context) error {
	c.closing.Do(func() { c.closed = errors.Join(c.shut(ctx), c.removeScratch()) })
	return c.closed
}

// shut closes all but the folder that goes with an ephemeral cloud.
func (c *Cloud) shut(ctx context.Context) error {
	c.stopStreams(simcloud.Errorf(simcloud.Unavailable, "", "the cloud is closing"))
	err := c.server.Shutdown(ctx)
	if err != nil && ctx.Err() != nil {
		c.config.Log.Warn("the cloud closes with requests under way: their connections are cut")
		err = c.server.Close()
	}
	c.serving.Wait()
	c.stopDataPlane()
	return errors.Join(err, c.core.Close())
}

// abandon closes what a failed Open has opened.
func (c *Cloud) abandon() error {
	err := c.listener.Close()
	if c.local != nil {
		err = errors.Join(err, c.local.Close())
	}
	if c.core != nil {
		err = errors.Join(err, c.core.Close())
	}
	return errors.Join(err, c.removeScratch())
}

// validate checks what can be judged without the machine.
func (c Config) validate() error {
	var fields []simcloud.FieldError
	switch {
	case c.Data == "" && !c.Ephemeral:
		fields = append(fields, simcloud.FieldError{Field: "data", Detail: "must not be empty unless ephemeral is set"})
	case c.Data != "" && c.Ephemeral:
		fields = append(fields, simcloud.FieldError{Field: "data", Detail: "must not be set together with ephemeral"})
	}
	fields = append(fields, c.TLS.validate()...)
	fields = append(fields, c.checkMemory()...)
	fields = append(fields, c.checkHosts()...)
	if err := simcloud.InvalidFields("", fields); err != nil {
		return err
	}
	if c.Clock.Mode == "" {
		return nil
	}
	return c.Clock.Validate()
}
