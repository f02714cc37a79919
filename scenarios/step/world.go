package step

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// World is what a scenario acts on and looks at. The runner makes one of a cluster.
type World struct {
	Cloud  observe.Cloud
	Kube   dynamic.Interface
	Mapper meta.RESTMapper
	// Only is the selector of the labels of the run's own Nodes and volumes, in
	// a cluster that has others, which no scenario is to see; empty for all.
	Only string
	CCM  CCM
	// Standby is a second replica of the CCM with the same settings, for leader election.
	Standby      CCM
	Machines     Machines
	ControlPlane ControlPlane
	Simulator    Simulator
	Pods         Pods
	// Packets is whether pods have real traffic.
	Packets bool
	// InProcess is whether the CCM is a part of this process, and nothing that can be killed.
	InProcess bool
	// Simulated is whether all runs in simulated time, as a part of this process: a CCM can be killed and suspended all the same.
	Simulated bool
	// InCluster is whether the CCM runs as pods, as many as its manifest says.
	InCluster bool
	// Profile is the name of the CCM's profile; empty without one.
	Profile string
	// Naming is what the CCM calls the things of its cloud.
	Naming observe.Naming
	// ServiceAnnotations are those that each Service gets that a step applies, unless it has them.
	ServiceAnnotations map[string]string
	// Capabilities are what the CCM can do; nil means everything.
	Capabilities scenarios.CapabilitySet
	// Writes are the resources and fields of others that the CCM is meant to write, and SkipOracles the oracles that do not hold for it.
	Writes, SkipOracles []string
	// TestImage is the image of the test server, which every node has.
	TestImage string
	// Hiding is the label of a Node and an instance that no scenario is to see: those of the control plane.
	Hiding string
	// Asked lists what the CCM has asked of the API server since a time, such as "list nodes"; nil without a record.
	Asked func(since time.Time) ([]string, error)
	// Harness reports whether a call was made by the test harness and not by the CCM.
	Harness func(simcloud.JournalEntry) bool
	// Logs are the paths of the logs of the CCM and its standby.
	Logs []string
	// Secrets are those that they have been given so far; nil when they are not known.
	Secrets func() []control.Secret
	Access  Access
	// Factor says how many times slower than two cores that carry one other cluster the machine is; 0 is 1. All bounds on time are multiplied by it.
	Factor float64
	// Failed, when set, is called when the scenario has failed, before anything of it is cleaned up.
	Failed func(ctx context.Context, f scenarios.Failure)
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
	Exits() []control.Exit
	LogTail(n int) []string

	// Configure sets what the next starts begin with. It answers Invalid for a
	// config when the CCM does not read simcloud-ccm's cloud config.
	Configure(s control.Settings) error
	// ReadsCloudConfig reports whether Configure takes a config.
	ReadsCloudConfig() bool
	// StartFailing starts a CCM that must end by itself, and returns its log of
	// this start. A CCM that becomes healthy is an error.
	StartFailing(ctx context.Context) (log string, err error)
	// KillAt lets a call to come kill the CCM; Killed reports whether it has.
	KillAt(ctx context.Context, p control.KillPoint) error
	Killed() bool
	// Get asks the CCM's secure port, as an admin.
	Get(ctx context.Context, path string) (status int, body []byte, err error)
	// TokenID names the CCM's own token of the cloud. RenewToken gives it
	// another one and leaves the old one valid; RevokeToken ends the one that it has.
	TokenID() simcloud.ID
	RenewToken(ctx context.Context) error
	RevokeToken(ctx context.Context) error
}

// Machines is the control of the machines.
type Machines interface {
	// Boot boots a machine that has no instance.
	Boot(ctx context.Context, spec control.Machine) error
	Kill(name string) error
	Freeze(name string) error
	Thaw(name string) error
	// Partition cuts a machine off from the network while it runs on; Heal joins it again.
	Partition(name string) error
	Heal(name string) error
}

// ControlPlane is the control of the cluster's API.
type ControlPlane interface {
	// RestartAPIServer kills the API server and starts it again with its data.
	RestartAPIServer(ctx context.Context) error
	// Forbid takes verbs from the CCM's role; Allow gives all back.
	Forbid(ctx context.Context, verbs, resources []string) error
	Allow(ctx context.Context) error
	// Delay holds back what the CCM asks of the cluster, when it was started
	// Proxied; Undelay lets all through. CanDelay reports whether that is possible with this CCM.
	Delay(ctx context.Context, verbs, resources []string, by time.Duration) error
	Undelay(ctx context.Context) error
	CanDelay() bool
	// Lag lets the API server show the CCM what is old; CatchUp ends that. CanLag reports whether it can.
	Lag(ctx context.Context, lag control.Lag) error
	CatchUp(ctx context.Context) error
	CanLag() bool
}

// Simulator is the control of the cloud's process.
type Simulator interface {
	// RestartCloud closes the cloud and opens it again from its file, at the same address.
	RestartCloud(ctx context.Context) error
	// Reseed lets ids, addresses and all other chance follow from another seed.
	Reseed(ctx context.Context, seed uint64) error
}

// Stage is a world while one scenario runs in it.
type Stage struct {
	World
	Scenario *scenarios.Scenario
	Store    *observe.Store
	Feed     *observe.CloudFeed
	cluster  *observe.ClusterFeed
	restarts int // of the CCM, by steps
	// leaders has for each lease the replica that was last known to hold it.
	leaders  map[string]leadership
	Settings control.Settings // of the CCM's next start
	// Reconfigured is when a step has last changed them.
	Reconfigured time.Time
	Acts         []Act
	Deleted      []string // UIDs of the objects that steps have deleted
	// Forbidden is whether the CCM lacks rights of its role, delayed whether what it asks is held back, and lagging whether it
	// may see what is old.
	Forbidden, delayed, lagging bool
	// answers are the names of captured values that are what the cloud has answered when the scenario made something.
	answers map[string]bool
	// origins are the parts of the snapshot that captured values come from, by their names.
	origins map[string][]string
	witness *witness
	// traffic is what the scenario has started, by name; what ended by now is there too.
	traffic map[string]*Traffic
	// ahead is what the next expectation judges besides what it sees itself; nil for nothing.
	ahead *lookahead
	// life is done when the stage closes.
	life    context.Context
	cancel  context.CancelFunc
	streams sync.WaitGroup
}

// Open begins to watch the world for a scenario. The caller closes it.
func Open(ctx context.Context, w World, s *scenarios.Scenario, namespace string, observers ...observe.Observer) (*Stage, error) {
	witness := newWitness()
	store := observe.NewStore(namespace, append(slices.Clone(observers), witness)...)
	st := &Stage{World: w, Scenario: s, Store: store, answers: map[string]bool{}, origins: map[string][]string{}, witness: witness, traffic: map[string]*Traffic{}}
	st.Store.Current.TestImage, st.Store.Current.Naming = w.TestImage, w.Naming
	st.Store.Harness, st.Store.Hiding = w.Harness, w.Hiding
	st.Feed = &observe.CloudFeed{Cloud: w.Cloud, Store: st.Store, Harness: w.Harness}
	if err := st.Begin(ctx); err != nil {
		return nil, err
	}
	streams, cancel := context.WithCancel(context.WithoutCancel(ctx))
	st.life, st.cancel = streams, cancel
	st.streams.Go(func() { st.Feed.WatchEvents(streams) })
	st.streams.Go(func() { st.Feed.WatchJournal(streams) })
	cluster, err := observe.WatchCluster(streams, w.Kube, w.Only, st.Store, func() { _ = st.Feed.CatchUp(streams) })
	st.cluster = cluster
	if err != nil {
		st.End()
		return nil, err
	}
	return st, nil
}

// Begin reads where the cloud and its journal stand.
func (st *Stage) Begin(ctx context.Context) error {
	entries, err := st.Cloud.ListJournal(ctx, simcloud.JournalFilter{})
	if err != nil {
		return fmt.Errorf("read the cloud's journal: %w", err)
	}
	if len(entries) > 0 {
		st.Store.Seq = entries[len(entries)-1].Seq
	}
	if err := st.Feed.ReadState(ctx); err != nil {
		return err
	}
	st.Store.BeginChanges()
	return nil
}

// Sync brings the snapshot up to date with the cloud and the CCM.
func (st *Stage) Sync(ctx context.Context) error {
	st.SyncCCM()
	st.syncTraffic()
	if err := st.Feed.CatchUp(ctx); err != nil {
		return err
	}
	return st.syncFaults(ctx)
}

// End ends the watches.
func (st *Stage) End() {
	st.cancel()
	st.stopAllTraffic(st.life)
	st.streams.Wait()
	if st.cluster != nil {
		st.cluster.Wait()
	}
}

// Access is how people can look at a world.
type Access struct {
	// Kubeconfig is a file with an admin's access to the cluster.
	Kubeconfig string
	// CloudURL and TokenFile are an admin's access to the cloud.
	CloudURL, TokenFile string
	// CCMLog is the log of the CCM.
	CCMLog string
}

// Behave ends what steps have let go wrong on purpose, and the traffic: finally
// has a cloud and a cluster that do as they are told. Answers to the traffic are
// waited for as long as the limit says.
func (st *Stage) Behave(ctx context.Context, limit time.Duration) error {
	waiting, stop := context.WithTimeout(ctx, limit)
	defer stop()
	st.stopAllTraffic(waiting)
	ctx, cancel := context.WithTimeout(ctx, scenarios.DefaultStepTimeout)
	defer cancel()
	if err := st.endAllFaults(ctx); err != nil {
		return err
	}
	if st.delayed {
		if err := st.undelay(ctx); err != nil {
			return fmt.Errorf("let the CCM's requests through: %w", err)
		}
	}
	if st.lagging {
		if err := st.catchUp(ctx); err != nil {
			return fmt.Errorf("show the CCM the present: %w", err)
		}
	}
	if !st.Forbidden {
		return nil
	}
	if err := st.allow(ctx); err != nil {
		return fmt.Errorf("give the CCM its rights back: %w", err)
	}
	return nil
}
