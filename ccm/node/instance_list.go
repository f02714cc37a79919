package node

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// instanceList is a list of all instances that one caller reads, and others may
// wait for. What follows done is not to be read before it has closed.
type instanceList struct {
	began time.Time
	// nodes are the Nodes without a provider id that were there when it began.
	// Their machines were there, too: a kubelet registers after its machine has come.
	nodes map[types.UID]bool

	done      chan struct{}
	err       error
	abandoned bool // its reader was told to stop; the cloud has said nothing
	all       []simcloud.Instance
	byID      map[simcloud.ID]simcloud.Instance
	pages     int
}

// read reads all pages. An instance that the cloud shows twice is one.
func (l *instanceList) read(ctx context.Context, api InstanceAPI) {
	counted := func(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
		l.pages++
		return api.ListInstances(ctx, opts)
	}
	all, err := simcloud.ListAll(ctx, counted, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	l.err, l.abandoned = err, err != nil && ctx.Err() != nil
	l.byID = make(map[simcloud.ID]simcloud.Instance, len(all))
	for _, inst := range all {
		if _, twice := l.byID[inst.ID]; !twice {
			l.all = append(l.all, inst)
		}
		l.byID[inst.ID] = inst
	}
}

// wait returns when the list has been read, or ctx is done.
func (l *instanceList) wait(ctx context.Context) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
