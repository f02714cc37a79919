package observe

import (
	"reflect"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Kind is a kind of the cloud's resources that snapshots show.
type Kind struct {
	simcloud.Kind
	// Variable is the part of the snapshot with these resources, and their key in the cloud's state.
	Variable string
	// Doc describes the variable.
	Doc string
	// Leaks is whether a resource of the kind is a leak when it outlives what it was made for.
	Leaks bool
	// Type is that of a resource.
	Type reflect.Type
}

// Kinds are the kinds that snapshots show, in the order of their documentation.
var Kinds = []Kind{
	{simcloud.KindInstance, "instances", "the cloud's instances", true, reflect.TypeFor[simcloud.Instance]()},
	{simcloud.KindLoadBalancer, "loadBalancers", "the cloud's load balancers", true, reflect.TypeFor[simcloud.LoadBalancer]()},
	{simcloud.KindFloatingIP, "floatingIPs", "the cloud's floating IPs", true, reflect.TypeFor[simcloud.FloatingIP]()},
	{simcloud.KindRouteTable, "routeTables", "the cloud's route tables with their routes", true, reflect.TypeFor[simcloud.RouteTable]()},
	{simcloud.KindNetwork, "networks", "the cloud's networks", true, reflect.TypeFor[simcloud.Network]()},
	{simcloud.KindSubnet, "subnets", "the cloud's subnets", true, reflect.TypeFor[simcloud.Subnet]()},
	{simcloud.KindVolume, "volumes", "the cloud's volumes", true, reflect.TypeFor[simcloud.Volume]()},
	{simcloud.KindSSHKey, "sshKeys", "the cloud's SSH keys", true, reflect.TypeFor[simcloud.SSHKey]()},
	{simcloud.KindCluster, "clusters", "the clusters that the cloud was told of", true, reflect.TypeFor[simcloud.Cluster]()},
	{simcloud.KindDocument, "documents", "what dialects keep in the cloud, such as certificates", true, reflect.TypeFor[simcloud.Document]()},
	{simcloud.KindSecurityGroup, "securityGroups", "the cloud's security groups with their rules", true, reflect.TypeFor[simcloud.SecurityGroup]()},
	{simcloud.KindTargetGroup, "targetGroups", "the cloud's target groups with their targets", true, reflect.TypeFor[simcloud.TargetGroup]()},
	{simcloud.KindZone, "zones", "the cloud's zones", false, reflect.TypeFor[simcloud.Zone]()},
	{simcloud.KindOperation, "operations", "the cloud's operations", false, reflect.TypeFor[simcloud.Operation]()},
}

// LeakKinds are the kinds that can leak.
var LeakKinds = slices.DeleteFunc(slices.Clone(Kinds), func(k Kind) bool { return !k.Leaks })

// Writable are the resources that can leak and their fields as a profile's writes can name them: "instance", "instance.labels".
func Writable() (names []string) {
	for _, k := range LeakKinds {
		names = append(names, string(k.Kind))
		for _, field := range reflect.VisibleFields(k.Type) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				names = append(names, string(k.Kind)+"."+name)
			}
		}
	}
	return names
}

// kindOf finds the kind of a variable. It reports false for a variable that shows none.
func kindOf(variable string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Variable == variable })
	if i < 0 {
		return Kind{}, false
	}
	return Kinds[i], true
}

// variableOf finds the variable that shows a kind. It reports false for a kind that none shows.
func variableOf(kind simcloud.Kind) (string, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Kind == kind })
	if i < 0 {
		return "", false
	}
	return Kinds[i].Variable, true
}

// RefOf names a resource as the journal does.
func RefOf(variable, id string) string {
	if kind, shown := kindOf(variable); shown {
		return simcloud.Ref(kind.Kind, simcloud.ID(id))
	}
	return variable + "/" + id
}
