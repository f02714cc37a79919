package embedded

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// Done is closed when a part of the control plane has ended by itself, or did not
// come back from a restart. Without it nothing of the cluster is as it should be.
// Stop does not close it.
func (b *Backend) Done() <-chan struct{} { return b.alive.Done() }

// Err says which part has ended, and how; nil while none has.
func (b *Backend) Err() error { return context.Cause(b.alive) }

// guard watches the parts of a control plane that runs, until Stop.
func (b *Backend) guard(parts ...*process.Process) {
	for _, part := range parts {
		b.guards.Go(func() {
			select {
			case <-part.Done():
				if err := part.Err(); err != nil { // it was not asked to end
					b.lose(lostPart(part, err))
				}
			case <-b.life.Done():
			}
		})
	}
}

// lostLines is how much of its log a part leaves behind in the error.
const lostLines = 5

func lostPart(part *process.Process, err error) error {
	err = fmt.Errorf("a part of the control plane has ended by itself: %w", err)
	if lines := part.LogTail(lostLines); len(lines) > 0 {
		err = errors.Join(err, errors.New("the end of its log:\n  "+strings.Join(lines, "\n  ")))
	}
	return err
}
