package simcloud

// Quota is how much of something a project may have, and how much it has.
// Each project has one for each of the QuotaResources; its id is "<project>.<resource>".
type Quota struct {
	Meta
	Resource QuotaResource `json:"resource"`
	// Limit is how much there may be; Unlimited for any amount. What is there
	// already stays when the limit is lowered below it.
	Limit int `json:"limit"`
	Used  int `json:"used"`
}

// Unlimited is the Limit of a quota that limits nothing, as all do in a new project.
const Unlimited = -1

// QuotaResource is what a quota counts.
type QuotaResource string

// What quotas count.
const (
	QuotaInstances      QuotaResource = "instance"
	QuotaVCPUs          QuotaResource = "vcpu"
	QuotaMemoryMiB      QuotaResource = "memory_mib"
	QuotaVolumes        QuotaResource = "volume"
	QuotaVolumeGiB      QuotaResource = "volume_gib"
	QuotaLoadBalancers  QuotaResource = "load_balancer"
	QuotaFloatingIPs    QuotaResource = "floating_ip"
	QuotaNetworks       QuotaResource = "network"
	QuotaSubnets        QuotaResource = "subnet"
	QuotaRouteTables    QuotaResource = "route_table"
	QuotaSSHKeys        QuotaResource = "ssh_key"
	QuotaSecurityGroups QuotaResource = "security_group"
	QuotaTargetGroups   QuotaResource = "target_group"
)

// QuotaResources returns all that quotas count, in the order of lists.
func QuotaResources() []QuotaResource {
	return []QuotaResource{
		QuotaInstances, QuotaVCPUs, QuotaMemoryMiB, QuotaVolumes, QuotaVolumeGiB, QuotaLoadBalancers,
		QuotaFloatingIPs, QuotaNetworks, QuotaSubnets, QuotaRouteTables, QuotaSSHKeys, QuotaSecurityGroups,
		QuotaTargetGroups,
	}
}

// QuotaID returns the id of a project's quota.
func QuotaID(project ID, resource QuotaResource) ID {
	return project + "." + ID(resource)
}

// QuotaSpec is the limit that a quota gets.
type QuotaSpec struct {
	Limit int `json:"limit"` // or Unlimited
}
