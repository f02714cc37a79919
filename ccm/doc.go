// Package ccm is the cloud provider "simcloud" of the Kubernetes cloud
// controller manager: it initialises Nodes, removes those whose instance is
// gone, and keeps load balancers and routes as Services and Nodes ask.
//
// One file is one interface of k8s.io/cloud-provider. What the cloud is to look
// like is computed without a call (desired.go), the way there is a list of
// steps (plan.go), and only then is anything done. Whatever this package makes
// carries labels that say for whom (labels.go); what does not carry them is
// somebody else's and stays as it is.
package ccm
