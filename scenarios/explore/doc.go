// Package explore looks for what breaks a cloud controller manager by itself:
// it makes random but legal histories (of the cloud, the cluster, faults, and
// the CCM's own deaths), runs each as a scenario under all oracles, and wants
// that everything is as it should be once all faults are over. A history that
// violates a promise is shrunk to a minimal one, which is an ordinary scenario file.
package explore
