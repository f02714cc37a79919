package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/kubeconfig"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/e2e/sweep"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// Config describes a cluster.
type Config struct {
	// Name is the cluster's name, which the CCM marks its cloud resources with; empty is "simcloud".
	Name string
	// Dir is the folder for what the cluster writes; it is made when it is
	// not there, and never removed.
	Dir     string
	Backend Backend
	// Cloud is the cloud to open. An empty TokenFile becomes a file in Dir.
	Cloud sim.Config
	// Rules, unless nil, are how the cloud's behaviour differs from that of a new one.
	Rules *simcloud.ConfigUpdate
	// NodeIPs is whether kubelets are told the private addresses of their VMs with --node-ip, so that a Node has
	// an address before a CCM has seen it. On kind they always are.
	NodeIPs bool
	// Opened, when set, gets the cloud as soon as it serves. It must return soon.
	Opened func(cloud *sim.Cloud)
	// Prepare, when set, makes the first resources of the cloud. Instances
	// that it creates are on their way while the control plane starts.
	Prepare func(ctx context.Context, cloud *client.Client) error
	Subject manager.CCMSpec
	// CCMMode says where the subject runs; empty is [manager.Process].
	CCMMode manager.Mode
	// TestImage is the test server for pods, which the nodes of a backend that runs images get.
	TestImage ociimage.Named
	// Timings are those of two cores that carry one other cluster: on a slower machine, bounds are longer by Cluster.Factor.
	Timings Timings
	// Slot, when set, takes the cluster's place on the machine before anything
	// starts, and may wait: [slots.Taking]. The place is free again when everything has stopped.
	Slot func(ctx context.Context) (*slots.Slot, error)
	// Log gets what happens; nil discards it.
	Log *slog.Logger
	// Progress, unless nil, is called for each step when it begins and when it ends.
	Progress func(Step)
}

// Step is a part of starting a cluster.
type Step struct {
	What string
	// Done is whether the step ended; then Took is how long it was, and Err why it failed.
	Done bool
	Took time.Duration
	Err  error
}

// Cluster is a Kubernetes cluster on a simulated cloud.
type Cluster struct {
	Name string
	Dir  string

	// Cloud is an admin's access to the cloud, at CloudURL with the token in TokenFile.
	Cloud     *client.Client
	CloudURL  string
	TokenFile string

	// RESTConfig, Kube and Kubeconfig (a file) are an admin's access to the cluster.
	RESTConfig *rest.Config
	Kube       kubernetes.Interface
	Kubeconfig string

	Backend  Backend
	can      Capabilities // of Backend
	Machines *machine.Set
	CCM      *manager.CCM

	testImage string // name
	nodeIPs   bool

	sim atomic.Pointer[sim.Cloud]

	clock   simcloud.ClockSpec // as it was opened
	config  simcloud.Config    // as it was opened
	sweeper *sweep.Sweeper
	kept    *sweep.Baseline // what a reset leaves there

	controlPlane simcloud.ID // the VM of the control plane's Node, if that is one
	timings      Timings
	slot         *slots.Slot // nil when none was taken
	log          *slog.Logger
}

// cloud is the cloud as it runs in this process; nil before it was opened.
func (c *Cluster) cloud() *sim.Cloud { return c.sim.Load() }

// userAgent is what the harness calls itself in the cloud's journal.
const userAgent = "simcloud-e2e"

// IsHarness reports whether a call was the harness's own, through Cloud, and
// not that of the CCM or of another client.
func (c *Cluster) IsHarness(entry simcloud.JournalEntry) bool {
	return entry.Caller.UserAgent == userAgent
}

// Start opens the cloud in this process, starts the control plane, and makes
// the cloud's instances its machines. The CCM has its access then, but is not
// started. When Start fails, nothing is left running.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := cfg.ccmPlace().Check(cfg.Subject); err != nil {
		return nil, err
	}
	c := &Cluster{
		Name: cmp.Or(cfg.Name, "simcloud"), Dir: cfg.Dir, Backend: cfg.Backend, can: cfg.can(),
		timings: cfg.Timings.withDefaults(), log: cfg.Log,
	}
	if err := c.takeSlot(ctx, cfg); err != nil {
		return nil, err
	}
	if err := c.startAll(ctx, cfg); err != nil {
		return nil, errors.Join(err, c.Stop(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *Cluster) startAll(ctx context.Context, cfg Config) error {
	for _, step := range []struct {
		what string
		do   func(context.Context, Config) error
	}{
		{"open the cloud", c.openCloud},
		{"prepare the cloud", c.prepareCloud},
		{"start the control plane", c.startControlPlane},
		{"load the image of the test server", c.loadTestImage},
		{"give the cloud controller manager its access", c.startMachines},
	} {
		if err := cfg.step(step.what, func() error { return step.do(ctx, cfg) }); err != nil {
			return err
		}
	}
	return nil
}

// step does a part of the start and tells of it.
func (cfg Config) step(what string, do func() error) error {
	if cfg.Progress == nil {
		return do()
	}
	begun := time.Now()
	cfg.Progress(Step{What: what})
	err := do()
	cfg.Progress(Step{What: what, Done: true, Took: time.Since(begun), Err: err})
	return err
}

func (c *Cluster) takeSlot(ctx context.Context, cfg Config) (err error) {
	if cfg.Slot == nil {
		return nil
	}
	if c.slot, err = cfg.Slot(ctx); err != nil {
		return err
	}
	if c.can.Factor == nil {
		c.slot.Started() // its start takes long, and disturbs no other one's measurement more than its later life
	}
	return nil
}

func (c *Cluster) openCloud(ctx context.Context, cfg Config) error {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("make the cluster's folder: %w", err)
	}
	if cfg.Cloud.TokenFile == "" {
		cfg.Cloud.TokenFile = filepath.Join(c.Dir, "token")
	}
	if cfg.Cloud.Ephemeral && cfg.Cloud.Scratch == "" {
		cfg.Cloud.Scratch = c.Dir // who removes what a crash has left finds it there
	}
	if cfg.Cloud.Log == nil {
		cfg.Cloud.Log = cfg.Log
	}
	host, err := c.place(ctx, &cfg.Cloud)
	if err != nil {
		return err
	}
	cloud, err := c.openSim(ctx, cfg.Cloud, host)
	if err != nil {
		return fmt.Errorf("open the cloud: %w", err)
	}
	c.sim.Store(cloud)
	if cfg.Opened != nil {
		cfg.Opened(cloud)
	}
	c.CloudURL, c.TokenFile = cloud.URL(), cfg.Cloud.TokenFile
	if cloud.Token() == "" {
		return simcloud.Errorf(simcloud.Unauthenticated, "", "the cloud in %s has an admin whose token is not in %s: name the file that has it", cfg.Cloud.Data, c.TokenFile)
	}
	c.Cloud, err = client.New(client.Config{Endpoint: c.CloudURL, Token: cloud.Token(), UserAgent: userAgent, Transport: c.harnessTransport()})
	if err != nil {
		return err
	}
	if cfg.Rules != nil {
		if _, err := c.Cloud.UpdateConfig(ctx, *cfg.Rules); err != nil {
			return fmt.Errorf("configure the cloud: %w", err)
		}
	}
	clock, err := c.Cloud.GetClock(ctx)
	if err != nil {
		return err
	}
	c.clock = clock.ClockSpec
	c.config, err = c.Cloud.GetConfig(ctx)
	return err
}

func (c *Cluster) prepareCloud(ctx context.Context, cfg Config) error {
	if cfg.Prepare == nil {
		return nil
	}
	return cfg.Prepare(ctx, c.Cloud)
}

func (c *Cluster) startControlPlane(ctx context.Context, cfg Config) error {
	access, err := cfg.Backend.Start(ctx)
	if err != nil {
		return fmt.Errorf("start the %s control plane: %w", cfg.Backend.Name(), err)
	}
	if c.slot != nil {
		c.slot.Started()
	}
	c.timings = c.timings.scaled(c.Factor())
	c.RESTConfig = rest.CopyConfig(access)
	c.RESTConfig.QPS, c.RESTConfig.Burst = -1, -1 // no limit: the harness must not be slower than what it watches
	c.Kubeconfig = filepath.Join(c.Dir, "kubeconfig")
	if err := kubeconfig.Write(c.Kubeconfig, c.Name, "admin", c.RESTConfig); err != nil {
		return err
	}
	if c.Kube, err = kubernetes.NewForConfig(compact(c.RESTConfig)); err != nil {
		return err
	}
	if err := c.joinControlPlane(ctx); err != nil {
		return err
	}
	c.kept, err = sweep.ReadBaseline(ctx, c.Kube)
	return err
}

// compact is the access for a client of built-in kinds: in protobuf, which
// costs both sides half of what JSON does when thousands of hollow nodes report.
func compact(access *rest.Config) *rest.Config {
	access = rest.CopyConfig(access)
	access.ContentType = runtime.ContentTypeProtobuf
	access.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	return access
}

func (c *Cluster) startMachines(ctx context.Context, cfg Config) error {
	c.nodeIPs = cfg.NodeIPs
	c.Machines = machine.New(machine.Config{
		Cloud: c.Cloud, Boot: c.bootMachine, Discard: c.can.Discard, Cut: c.can.Cut, Join: c.can.Join, Log: c.log,
	})
	c.Machines.Start()
	if c.can.FollowCloud != nil {
		if err := c.can.FollowCloud(ctx, c.Cloud); err != nil {
			return err
		}
	}
	c.CCM = manager.New(c.ccmDeps(), cfg.Subject, cfg.ccmPlace())
	return c.CCM.Prepare(ctx)
}

// bootMachine boots a kubelet of the backend, or a hollow node.
func (c *Cluster) bootMachine(ctx context.Context, spec machine.HollowSpec, hollow bool) (machine.Node, error) {
	if c.nodeIPs && len(spec.NodeIPs) == 0 {
		for _, address := range spec.Addresses {
			spec.NodeIPs = append(spec.NodeIPs, address.String())
		}
	}
	if shared := c.can.SharedCluster; shared != nil {
		return c.bootShared(ctx, spec, shared.Mark)
	}
	if hollow {
		return machine.StartHollow(ctx, c.Kube, spec, c.timings.pace(), c.log)
	}
	return c.Backend.StartNode(ctx, spec.Spec)
}

// Stop ends everything in the order that disturbs least: the CCM, the
// machines, the control plane, the cloud. It returns when all is gone; the end
// of ctx and Timings.Stop make it hurry, not give up.
func (c *Cluster) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.timings.Stop)
	defer cancel()
	var errs []error
	if c.CCM != nil {
		errs = append(errs, c.CCM.Close(ctx))
	}
	if c.Machines != nil {
		c.Machines.Close()
	}
	if c.Backend != nil {
		errs = append(errs, c.Backend.Stop(ctx))
	}
	if c.Cloud != nil {
		c.Cloud.Close()
	}
	if cloud := c.cloud(); cloud != nil {
		errs = append(errs, cloud.Close(ctx))
	}
	if c.slot != nil {
		c.slot.Free()
	}
	return errors.Join(errs...)
}

// TestImage is the name of the test server's image, which every node has.
// Where nodes run no images one name is as good as another.
func (c *Cluster) TestImage() string { return cmp.Or(c.testImage, "testserver") }

// loadTestImage brings the image to the nodes of a backend that runs images.
func (c *Cluster) loadTestImage(ctx context.Context, cfg Config) error {
	if c.can.LoadImage == nil || cfg.TestImage.Archive == "" {
		return nil
	}
	if err := c.can.LoadImage(ctx, cfg.TestImage.Archive); err != nil {
		return fmt.Errorf("load the image of the test server: %w", err)
	}
	c.testImage = cfg.TestImage.Name
	return nil
}
