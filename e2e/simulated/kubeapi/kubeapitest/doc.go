// Package kubeapitest is the conformance test of Kubernetes API servers: one table
// of requests that runs against any of them, and the answers of a real
// kube-apiserver to compare with.
//
// The folder cases has the table, a file for each topic. A [Case] is a short
// sequence of raw HTTP requests that shows one promise. [Run] sends them and returns
// the answers without what differs from run to run: see [Answer]. The folder testdata has the
// answers of the real server, which TestReal compares, and writes with -update.
//
// A server passes when [Compare] finds no difference:
//
//	topics := kubeapitest.Select(kubeapitest.Controllers) // what the server has
//	got, err := kubeapitest.Run(ctx, access, topics)
//	kubeapitest.Compare(t, topics, got, kubeapitest.Known{"service/NodePortTaken": "ports are not allocated"})
//
// Run needs no testing.T and opens no socket of its own, so that it can run in a testing/synctest
// bubble; Compare starts subtests, so that it cannot.
package kubeapitest
