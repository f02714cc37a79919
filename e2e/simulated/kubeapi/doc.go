// Package kubeapi is a simulated Kubernetes API server: the handlers of k8s.io/apiserver (patches, server-side apply,
// conflicts, finalizers, dry runs, selectors, watches) over objects in memory, without etcd, certificates or a socket. It runs
// in a testing/synctest bubble, where time is simulated, and starts in two milliseconds.
//
// What is of k8s.io/kubernetes, which no other module can import, is written here for the kinds that cloud controller managers
// look at: defaults, validation, cluster IPs and node ports, and the admission of new Nodes, volumes and what namespaces have.
// TestConformance of package e2e/simulated compares it with the recorded answers of a real kube-apiserver; testdata/known.yaml
// there has the differences.
package kubeapi
