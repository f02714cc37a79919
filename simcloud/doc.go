// Package simcloud is the model of a simulated infrastructure cloud: its
// resources, the operations on them, and the errors they end in.
//
// The package imports the standard library only and decides nothing: package
// core holds the cloud's rules behind [API], package client speaks to a remote
// one through the same interface. One name, such as CreateLoadBalancer, is the
// method, the route, the journal entry and the metric label of an operation;
// [Endpoints] lists them all.
package simcloud
