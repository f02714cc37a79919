package embedded

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/process"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// startAPIServer starts a kube-apiserver that asks each client for a certificate or a token.
func (p *plane) startAPIServer(ctx context.Context) (*process.Process, error) {
	audit, err := p.auditArgs()
	if err != nil {
		return nil, err
	}
	return p.run(ctx, "kube-apiserver", p.answers(local(p.ports.apiserver, "/readyz")), append(p.apiServerArgs(), audit...)...)
}

// apiServerArgs are the flags of the API server.
//
// Endpoints of the Service default/kubernetes are not kept: they may not be on
// 127.0.0.1, and nothing listens elsewhere.
func (p *plane) apiServerArgs() []string {
	return []string{
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", p.ports.apiserver),
		"--tls-cert-file=" + p.dir.file("kube-apiserver.crt"), "--tls-private-key-file=" + p.dir.file("kube-apiserver.key"),
		"--etcd-servers=" + local(p.ports.etcd, ""), "--etcd-cafile=" + p.dir.file("ca.crt"),
		"--etcd-certfile=" + p.dir.file("etcd-client.crt"), "--etcd-keyfile=" + p.dir.file("etcd-client.key"),
		"--client-ca-file=" + p.dir.file("ca.crt"), "--anonymous-auth=false",
		"--requestheader-client-ca-file=" + p.dir.file("request-header-ca.crt"),
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + p.dir.file("service-account.pub"),
		"--service-account-signing-key-file=" + p.dir.file("service-account.key"),
		"--service-cluster-ip-range=" + serviceCIDR, "--allow-privileged",
		"--kubelet-certificate-authority=" + p.dir.file("ca.crt"),
		"--kubelet-client-certificate=" + p.dir.file("kubelet-client.crt"),
		"--kubelet-client-key=" + p.dir.file("kubelet-client.key"),
		"--endpoint-reconciler-type=none",
		"--enable-priority-and-fairness=false", // one machine's clients: queues would only slow the start down
		"--profiling=false",
	}
}

// RestartAPIServer kills the API server and returns when a new one serves on
// the same port. etcd runs on, so that nothing is lost. When it fails, there is
// no API server any more. Stop ends the wait.
func (b *Backend) RestartAPIServer(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != running {
		return simcloud.Errorf(simcloud.Conflict, "backend/embedded", "the control plane is not running")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(errStopped) })()
	err := b.plane.restartAPIServer(ctx)
	switch {
	case err == nil:
		b.guard(b.plane.apiserver)
	case b.life.Err() == nil:
		b.lose(fmt.Errorf("the API server did not come back: %w", err))
	}
	return err
}

func (p *plane) restartAPIServer(ctx context.Context) error {
	if err := p.apiserver.Kill(); err != nil {
		return fmt.Errorf("kill the API server: %w", err)
	}
	for {
		proc, err := p.startAPIServer(ctx)
		if process.LostPort(err) && ctx.Err() == nil { // another process probes for free ports, and releases it at once
			continue
		}
		if err == nil {
			p.apiserver = proc
		}
		return err
	}
}
