package manager

import (
	"context"
	"net"
	"strconv"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

// launcher starts CCMs: as processes of this host, or as pods of the cluster.
type launcher interface {
	// prepare gives the CCM its access to the cluster, and whatever else it needs once.
	prepare(ctx context.Context) error
	// launch returns when the CCM runs and, if it serves its health, is healthy.
	// After an error nothing runs.
	launch(ctx context.Context, settings control.Settings) (ccmRun, endpoint, error)
	// launchFailing starts a CCM that must end by itself, as StartFailing says,
	// and returns the end of what it said. Nothing runs when it returns.
	launchFailing(ctx context.Context, settings control.Settings) (log string, err error)
	// tokenRenewed is called when the token file has another token.
	tokenRenewed(ctx context.Context) error
}

// ccmRun is a CCM that was launched.
type ccmRun interface {
	// Stop asks it to end, and returns when it is gone; Kill ends it at once.
	Stop(ctx context.Context) error
	Kill() error
	// Pause suspends it, Resume lets it go on.
	Pause() error
	Resume() error
	// Done is closed when it is gone, and nothing starts it again. Err says how
	// it ended by itself.
	Done() <-chan struct{}
	Err() error
}

// endpoint is where a CCM serves its health and metrics.
type endpoint struct {
	host string
	port int
}

func (e endpoint) String() string { return net.JoinHostPort(e.host, strconv.Itoa(e.port)) }
