package scenarios

import (
	"github.com/google/cel-go/cel"
)

// variable is a part of the snapshot that expressions read.
type variable struct {
	name string
	typ  *cel.Type
	doc  string
	from source
	get  func(*Snapshot) any
}

var (
	objectsByName = cel.MapType(cel.StringType, cel.DynType)
	listOfObjects = cel.ListType(cel.DynType)
)

// variables is everything that an expression can read besides captured values.
var variables = []variable{
	clusterVariable("nodes", "the Nodes by name"),
	clusterVariable("pods", "the Pods of the scenario's namespace by name"),
	clusterVariable("services", "the Services of the scenario's namespace by name"),
	clusterVariable("endpointSlices", "the EndpointSlices of the scenario's namespace by name"),
	clusterVariable("deployments", "the Deployments of the scenario's namespace by name"),
	clusterVariable("persistentVolumes", "the PersistentVolumes by name"),
	clusterVariable("leases", "the Leases of the namespace kube-system by name"),
	{"events", listOfObjects, "the Kubernetes Events of all namespaces since the scenario began", fromCluster,
		func(s *Snapshot) any { return s.events }},
	cloudVariable("instances", "the cloud's instances"),
	cloudVariable("loadBalancers", "the cloud's load balancers"),
	cloudVariable("floatingIPs", "the cloud's floating IPs"),
	cloudVariable("routeTables", "the cloud's route tables with their routes"),
	cloudVariable("networks", "the cloud's networks"),
	cloudVariable("subnets", "the cloud's subnets"),
	cloudVariable("volumes", "the cloud's volumes"),
	cloudVariable("sshKeys", "the cloud's SSH keys"),
	cloudVariable("clusters", "the clusters that the cloud was told of"),
	cloudVariable("zones", "the cloud's zones"),
	cloudVariable("operations", "the cloud's operations"),
	{"calls", listOfObjects, "the calls that the CCM made to the cloud since the scenario began: those that do not come from the harness", fromJournal,
		func(s *Snapshot) any { return s.calls }},
	{"faults", objectsByName, "the fault rules of the scenario by name, those that are over too: calls (that matched), hits", fromFaults,
		func(s *Snapshot) any { return s.faults }},
	{"ccm", objectsByName, "the CCM: running (bool), exits (unexpected ones), restarts, killed (whether killAt has struck), tokenID, standby.running", fromRun,
		func(s *Snapshot) any { return s.ccm }},
	{"traffic", objectsByName, "what steps of the verb traffic have started, by name: sent, ok, failed, errors (the last 10), longestGap (the longest time without an answer that was ok, in ms)", fromTraffic,
		func(s *Snapshot) any { return s.traffic }},
	{"testImage", cel.StringType, "the image of the test server for pods, which every node has", fromRun,
		func(s *Snapshot) any { return s.testImage }},
	{"elapsed", cel.DurationType, "the time since the scenario began", fromRun,
		func(s *Snapshot) any { return s.elapsed }},
	{"ns", cel.StringType, "the scenario's namespace", fromRun,
		func(s *Snapshot) any { return s.namespace }},
}

func clusterVariable(name, doc string) variable {
	return variable{name, objectsByName, doc, fromCluster, func(s *Snapshot) any { return s.objects[name] }}
}

func cloudVariable(name, doc string) variable {
	return variable{name, listOfObjects, doc, fromCloud, func(s *Snapshot) any { return s.resources[name] }}
}
