package embedded

import (
	"context"

	"github.com/simcloud-dev/simcloud/e2e/process"
)

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
