package scenarios

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// World is what a scenario acts on and looks at. [Runner] makes one of a cluster.
type World struct {
	Cloud    Cloud
	Kube     dynamic.Interface
	Mapper   meta.RESTMapper
	CCM      CCM
	Machines Machines
	// Harness reports whether a call was made by the test harness and not by the CCM.
	Harness func(simcloud.JournalEntry) bool
}

// CCM is the control of the CCM under test.
type CCM interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	Kill(ctx context.Context) error
	Restart(ctx context.Context) error
	Pause() error
	Resume() error
	Running() bool
	// Exits are the times that it ended unasked, or panicked.
	Exits() []Exit
	LogTail(n int) []string
}

// Exit is an end of the CCM that nobody asked for, or a panic.
type Exit struct {
	Reason string
	Log    []string // its last lines
}

// Machines is the control of the machines.
type Machines interface {
	// Boot boots a machine that has no instance; a light one is no real kubelet.
	Boot(ctx context.Context, name string, labels map[string]string, light bool) error
	Kill(name string) error
	Freeze(name string) error
	Thaw(name string) error
}

// stage is a world while one scenario runs in it.
type stage struct {
	World
	scenario *Scenario
	store    *store
	feed     *cloudFeed
	cluster  *clusterFeed
	// firstCall is the number of the last call before the scenario.
	firstCall uint64
	restarts  int // of the CCM, by steps
	cancel    context.CancelFunc
	streams   sync.WaitGroup
}

// openStage begins to watch the world for a scenario. The caller closes it.
func openStage(ctx context.Context, w World, s *Scenario, namespace string, observers ...observer) (*stage, error) {
	st := &stage{World: w, scenario: s, store: newStore(namespace, observers...)}
	st.feed = &cloudFeed{cloud: w.Cloud, store: st.store, harness: w.Harness}
	if err := st.begin(ctx); err != nil {
		return nil, err
	}
	streams, cancel := context.WithCancel(context.WithoutCancel(ctx))
	st.cancel = cancel
	st.streams.Go(func() { st.feed.watchEvents(streams) })
	st.streams.Go(func() { st.feed.watchJournal(streams) })
	cluster, err := watchCluster(streams, w.Kube, st.store, func() { _ = st.feed.catchUp(streams) })
	st.cluster = cluster
	if err != nil {
		st.close()
		return nil, err
	}
	return st, nil
}

// begin reads where the cloud and its journal stand.
func (st *stage) begin(ctx context.Context) error {
	entries, err := st.Cloud.ListJournal(ctx, simcloud.JournalFilter{})
	if err != nil {
		return fmt.Errorf("read the cloud's journal: %w", err)
	}
	if len(entries) > 0 {
		st.firstCall = entries[len(entries)-1].Seq
	}
	st.store.seq = st.firstCall
	if err := st.feed.readState(ctx); err != nil {
		return err
	}
	st.store.forgetOperations()
	return nil
}

// sync brings the snapshot up to date with the cloud and the CCM.
func (st *stage) sync(ctx context.Context) error {
	st.syncCCM()
	return st.feed.catchUp(ctx)
}

func (st *stage) syncCCM() {
	st.store.setCCM(st.CCM.Running(), len(st.CCM.Exits()), st.restarts)
}

// close ends the watches.
func (st *stage) close() {
	st.cancel()
	st.streams.Wait()
	if st.cluster != nil {
		st.cluster.close()
	}
}
