package embedded

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// plane is a control plane that runs, or is on its way.
type plane struct {
	kube   string
	dir    layout
	certs  *certificates
	client *tls.Config
	ports  ports
	audit  string        // path of the audit policy, if any
	grace  time.Duration // 0 until calibrate, when Config does not set it
	factor float64       // see Backend.Factor
	mask   int
	alone  bool // without controllers and scheduler

	etcd, apiserver, controllers, scheduler *process.Process
}

// ports of the control plane, all on 127.0.0.1.
type ports struct{ etcd, etcdPeer, apiserver, controllers, scheduler int }

func freePorts() (ports, error) {
	free, err := process.FreePorts(5)
	if err != nil {
		return ports{}, err
	}
	return ports{etcd: free[0], etcdPeer: free[1], apiserver: free[2], controllers: free[3], scheduler: free[4]}, nil
}

func (p *plane) server() string { return local(p.ports.apiserver, "") }

func (p *plane) admin() *rest.Config { return p.certs.adminConfig(p.server()) }

// local is a URL of this machine.
func local(port int, path string) string { return fmt.Sprintf("https://127.0.0.1:%d%s", port, path) }

// startPlane starts all of the control plane. When one part fails, none is left.
func (b *Backend) startPlane(ctx context.Context) (*plane, error) {
	began := time.Now()
	times := newStopwatch(began, b.progress)
	p, err := b.newPlane(began)
	if err != nil {
		return nil, err
	}
	times.done("certificates")
	err = p.start(ctx, times.done)
	b.timing = times.timings
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (b *Backend) newPlane(now time.Time) (*plane, error) {
	if err := b.dir.reset(); err != nil {
		return nil, err
	}
	certs, err := newCertificates(b.dir, now)
	if err != nil {
		return nil, err
	}
	client, err := certs.clientTLS()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts()
	if err != nil {
		return nil, err
	}
	return &plane{kube: b.kube, dir: b.dir, certs: certs, client: client, ports: ports, audit: b.audit, grace: b.grace, mask: b.mask, alone: b.alone}, nil
}

// start starts etcd and the API server, and then what needs both at once. done
// is called for each part that is ready.
func (p *plane) start(ctx context.Context, done func(string)) error {
	began := time.Now()
	err := together(ctx, done,
		part{"etcd", &p.etcd, p.startEtcd},
		part{"kube-apiserver", &p.apiserver, p.startAPIServer}, // its own start takes longer than etcd's
	)
	if err != nil {
		return err
	}
	p.calibrate(time.Since(began))
	if p.alone {
		return nil
	}
	return together(ctx, done,
		part{"kube-controller-manager", &p.controllers, p.startControllerManager},
		part{"kube-scheduler", &p.scheduler, p.startScheduler},
	)
}

// part is a process of the control plane, and where to keep it.
type part struct {
	name  string
	proc  **process.Process
	start func(context.Context) (*process.Process, error)
}

// together starts parts at the same time. The first that fails ends the waiting for the others.
func together(ctx context.Context, done func(string), parts ...part) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		all.Go(func() (err error) {
			if *part.proc, err = part.start(ctx); err == nil {
				done(part.name)
			}
			return err
		})
	}
	return all.Wait()
}

// gcPercent trades memory for time: at the start, a third of what these
// processes compute would be garbage collection.
const gcPercent = "GOGC=400"

// answers is a readiness check: a GET of a URL answers 200.
func (p *plane) answers(url string) func(context.Context) error {
	return process.HTTPReady(url, p.client)
}

// run starts one command of simcloud-kube, and returns when it is ready.
func (p *plane) run(ctx context.Context, command string, ready func(context.Context) error, args ...string) (*process.Process, error) {
	return process.Start(ctx, process.Spec{
		Name:    command,
		Path:    p.kube,
		Args:    append([]string{command}, args...),
		Env:     []string{gcPercent},
		Dir:     string(p.dir),
		LogFile: p.dir.log(command),
		Ready:   ready,
	})
}

// parts are the processes that run, dependents first.
func (p *plane) parts() []*process.Process {
	return slices.DeleteFunc([]*process.Process{p.scheduler, p.controllers, p.apiserver, p.etcd},
		func(proc *process.Process) bool { return proc == nil })
}

// stop kills what runs, dependents first.
func (p *plane) stop() error {
	var errs []error
	for _, proc := range p.parts() {
		errs = append(errs, proc.Kill())
	}
	return errors.Join(errs...)
}

// startEtcd starts an etcd that only holders of a certificate of the CA can talk to. It
// does not sync to disk: the cluster is gone with its processes.
func (p *plane) startEtcd(ctx context.Context) (*process.Process, error) {
	client, peer := local(p.ports.etcd, ""), local(p.ports.etcdPeer, "")
	crt, key, ca := p.dir.file("etcd.crt"), p.dir.file("etcd.key"), p.dir.file("ca.crt")
	return p.run(ctx, "etcd", p.answers(client+"/health"),
		"--name=simcloud",
		"--data-dir="+p.dir.etcd(),
		"--unsafe-no-fsync",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--cert-file="+crt, "--key-file="+key, "--trusted-ca-file="+ca, "--client-cert-auth",
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=simcloud="+peer,
		"--peer-cert-file="+crt, "--peer-key-file="+key, "--peer-trusted-ca-file="+ca, "--peer-client-cert-auth",
		"--heartbeat-interval=20", "--election-timeout=200", // ms; it elects itself
		"--log-level=warn",
	)
}

// startControllerManager starts the kube-controller-manager. It is healthy
// before it has built its controllers, and ends when the API server is away meanwhile.
// The checks of the controllers come when all are built.
func (p *plane) startControllerManager(ctx context.Context) (*process.Process, error) {
	built := process.HTTPSays(local(p.ports.controllers, "/healthz?verbose"), "[+]namespace-controller", p.client)
	return p.runComponent(ctx, "kube-controller-manager", p.ports.controllers, built,
		"--cloud-provider=external",
		"--allocate-node-cidrs", "--cluster-cidr="+ClusterCIDR, fmt.Sprintf("--node-cidr-mask-size=%d", p.mask), "--service-cluster-ip-range="+serviceCIDR,
		"--node-monitor-period=500ms", "--node-monitor-grace-period="+p.grace.String(),
		"--service-account-private-key-file="+p.dir.file("service-account.key"), "--root-ca-file="+p.dir.file("ca.crt"),
		"--concurrent-namespace-syncs=20", // scenarios wait for their namespaces to go
	)
}

// startScheduler starts the kube-scheduler.
func (p *plane) startScheduler(ctx context.Context) (*process.Process, error) {
	return p.runComponent(ctx, "kube-scheduler", p.ports.scheduler, p.answers(local(p.ports.scheduler, "/healthz")))
}

// runComponent starts a client of the API server that is the only one of its
// kind, is not throttled, and serves its health and, to admins, its metrics.
func (p *plane) runComponent(ctx context.Context, name string, port int, ready func(context.Context) error, args ...string) (*process.Process, error) {
	kubeconfig, err := p.certs.writeKubeconfig(name, p.server())
	if err != nil {
		return nil, err
	}
	return p.run(ctx, name, ready, append([]string{
		"--kubeconfig=" + kubeconfig, "--kube-api-qps=1000", "--kube-api-burst=2000",
		"--leader-elect=false",
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + p.dir.file(name+".crt"), "--tls-private-key-file=" + p.dir.file(name+".key"),
		"--client-ca-file=" + p.dir.file("ca.crt"),
		"--profiling=false",
	}, args...)...)
}
