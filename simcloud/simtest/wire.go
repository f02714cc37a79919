package simtest

import (
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// OpenWire is [Open] without a socket, so that the test may be in a
// testing/synctest bubble. All of the cloud is real but the network between it
// and its clients. The client is an admin's, with this User-Agent.
func OpenWire(t testing.TB, agent string, opts ...Option) (*sim.Cloud, *wire.Network, *client.Client) {
	t.Helper()
	network := wire.New()
	cloud := openCloud(t, append(opts, func(c *sim.Config) { c.Sockets = network })...)
	return cloud, network, DialWire(t, cloud, network, client.Config{Token: cloud.Token(), UserAgent: agent})
}

// DialWire returns another client of a cloud of [OpenWire]; the endpoint and the transport are filled in.
func DialWire(t testing.TB, cloud *sim.Cloud, network *wire.Network, cfg client.Config) *client.Client {
	t.Helper()
	cfg.Endpoint, cfg.Transport = cloud.URL(), network.Transport()
	return Dial(t, cfg)
}
