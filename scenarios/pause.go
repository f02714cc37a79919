package scenarios

// Pause is a scenario that has failed, and what there is to look at.
type Pause struct {
	Slot      int
	Scenario  *Scenario
	Namespace string
	Failure   Failure
	Access    Access
}

// Access is how people can look at a world.
type Access struct {
	// Kubeconfig is a file with an admin's access to the cluster.
	Kubeconfig string
	// CloudURL and TokenFile are an admin's access to the cloud.
	CloudURL, TokenFile string
	// CCMLog is the log of the CCM.
	CCMLog string
}
