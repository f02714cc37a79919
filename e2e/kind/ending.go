package kind

import (
	"context"
	"time"
)

// endingPeriod is how often something is ended that does not know that it has to.
const endingPeriod = 200 * time.Millisecond

// whileEnding calls act again and again from the end of ctx on, until the
// caller says that it is done.
func whileEnding(ctx context.Context, act func()) (done func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-ctx.Done():
		case <-quit:
			return
		}
		tick := time.NewTicker(endingPeriod)
		defer tick.Stop()
		for {
			act()
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}
