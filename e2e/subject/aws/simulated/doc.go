// Package simulated runs the provider of AWS (k8s.io/cloud-provider-aws) as a part of a test, in simulated time. It is a module
// of its own: the program of AWS, which ../go.mod pins, is built without anything of this project.
package simulated
