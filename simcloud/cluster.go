package simcloud

// Cluster is a Kubernetes cluster that the cloud has been told of.
type Cluster struct {
	Meta
	// Endpoint is where its control plane is, such as "https://10.0.0.1:6443".
	Endpoint string `json:"endpoint"`
}

// ClusterSpec describes a cluster to create. Its name is unique in its project.
type ClusterSpec struct {
	Name     string            `json:"name"`
	Endpoint string            `json:"endpoint"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// ClusterUpdate changes what is not nil.
type ClusterUpdate struct {
	Endpoint *string `json:"endpoint,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
}
