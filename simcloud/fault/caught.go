package fault

import (
	"context"
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// caught tells that a rule keeps a call waiting.
type caught struct {
	once sync.Once
	ch   chan struct{} // closed by the first such call
}

func newCaught() *caught { return &caught{ch: make(chan struct{})} }

func (c *caught) note() { c.once.Do(func() { close(c.ch) }) }

// AwaitCaught returns nil once the rule keeps a call waiting, or has: hang
// before the operation, delay when the operation has happened. So whoever asks
// knows what the cloud has done while the caller knows nothing yet.
func (s *Set) AwaitCaught(ctx context.Context, id simcloud.ID) error {
	s.mu.Lock()
	i, err := s.find(id)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	caught := s.all()[i].caught
	s.mu.Unlock()
	select {
	case <-caught.ch:
	case <-ctx.Done():
		select {
		case <-caught.ch: // both: a call that waits must not be left alone
		default:
			return context.Cause(ctx)
		}
	}
	return nil
}
