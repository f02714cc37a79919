// Package ccm is the cloud provider "simcloud" of the Kubernetes cloud
// controller manager: it initialises Nodes, removes those whose instance is
// gone, and keeps load balancers and routes as Services and Nodes ask.
//
// This package wires its rooms: [github.com/simcloud-dev/simcloud/ccm/lb],
// node, route and volume each implement interfaces of k8s.io/cloud-provider over
// config, annotation, label, providerid and internal/call, and do not know each
// other. Whatever the provider makes carries labels that say for whom; what does
// not carry them is another client's and stays as it is. The tests here are of
// the wired provider in a simulated cloud; those of one room are in its folder.
package ccm
