package embedded

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

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
