package embedded

import (
	"context"
	"fmt"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

// startAPIServer starts a kube-apiserver that asks each client for a certificate or a token.
//
// Endpoints of the Service default/kubernetes are not kept: they may not be on
// 127.0.0.1, and nothing listens elsewhere.
func (p *plane) startAPIServer(ctx context.Context) (*process.Process, error) {
	args := []string{
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", p.ports.apiserver),
		"--tls-cert-file=" + p.dir.file("kube-apiserver.crt"), "--tls-private-key-file=" + p.dir.file("kube-apiserver.key"),
		"--etcd-servers=" + local(p.ports.etcd, ""), "--etcd-cafile=" + p.dir.file("ca.crt"),
		"--etcd-certfile=" + p.dir.file("etcd-client.crt"), "--etcd-keyfile=" + p.dir.file("etcd-client.key"),
		"--client-ca-file=" + p.dir.file("ca.crt"), "--anonymous-auth=false",
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
	return p.run(ctx, "kube-apiserver", p.answers(local(p.ports.apiserver, "/readyz")), append(args, p.auditArgs()...)...)
}
