// Package simulated runs clusters in simulated time: a provider, the controllers of k8s.io/cloud-provider, the cloud, a simulated
// API server and hollow nodes are parts of one process, in a testing/synctest bubble, and talk over a network in memory. A
// minute of such a cluster takes some hundredths of a second.
package simulated
