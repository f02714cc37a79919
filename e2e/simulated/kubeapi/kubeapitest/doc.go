// Package kubeapitest is the conformance test of Kubernetes API servers: one table
// of requests that runs against any of them, and the answers of a real
// kube-apiserver to compare with.
//
// The folder cases has the table, a file for each topic. A [Case] is a short
// sequence of raw HTTP requests that shows one promise. [Run] sends them and returns
// the answers without what differs from run to run: see [Answer]. The folder testdata has the
// answers of the real server. TestReal compares them with a real server; after a change of the table or of the
// Kubernetes version it records them:
//
//	go test -trimpath ./e2e/simulated/kubeapi/kubeapitest -run TestReal -update
//
// A server passes when [Compare] finds no difference but the known ones:
//
//	topics := kubeapitest.Select(kubeapitest.Controllers) // what the server has
//	got, err := kubeapitest.Run(ctx, access, topics)
//	kubeapitest.Compare(t, topics, got, kubeapitest.Known{"service/LocalTraffic": "no health checks"})
//
// Run needs no testing.T and opens no socket of its own, so that it can run in a testing/synctest
// bubble. Compare starts subtests, which a bubble forbids: it runs after the bubble.
//
// # What a server needs
//
//   - The credentials of the admin are in the rest.Config, not in its Transport: requests without credentials use
//     the same Transport.
//   - Nothing but the requests changes objects, except for topics that need [Controllers].
//   - Version 1 of every kind is forgotten: a watch from it is answered 410.
//   - Services get addresses of 10.96.0.0/16 and fd00:10:96::/112, and node ports from 30000 to 32767. Allocation
//     leaves the first 256 addresses and the first 86 ports for requested ones, as the real server does.
//   - With [Controllers], the first Node gets the pod CIDR 10.244.0.0/24.
package kubeapitest
