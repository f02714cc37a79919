package expr

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// Variable is a part of the snapshot that expressions read.
type Variable struct {
	Name string
	typ  *cel.Type
	doc  string
	From observe.Source
	get  func(*observe.Snapshot) any
}

var (
	objectsByName = cel.MapType(cel.StringType, cel.DynType)
	listOfObjects = cel.ListType(cel.DynType)
)

// Variables is everything that an expression can read besides captured values.
var Variables = slices.Concat(clusterVariables, cloudVariables(), runVariables)

// clusterVariables show the cluster.
var clusterVariables = []Variable{
	{"nodes", objectsByName, "the Nodes by name; a Node can also be named as its VM is", observe.FromCluster, nodesByName},
	clusterVariable("pods", "the Pods of the scenario's namespace by name"),
	clusterVariable("services", "the Services of the scenario's namespace by name"),
	clusterVariable("endpointSlices", "the EndpointSlices of the scenario's namespace by name"),
	clusterVariable("deployments", "the Deployments of the scenario's namespace by name"),
	clusterVariable("persistentVolumes", "the PersistentVolumes by name"),
	clusterVariable("leases", "the Leases of the namespace kube-system by name"),
	{"events", listOfObjects, "the Kubernetes Events of all namespaces since the scenario began", observe.FromCluster,
		func(s *observe.Snapshot) any { return s.Events }},
}

// runVariables show the run and what the CCM does in it.
var runVariables = []Variable{
	{"calls", listOfObjects, "the calls that the CCM made to the cloud since the scenario began: those that do not come from the harness", observe.FromJournal,
		func(s *observe.Snapshot) any { return s.Calls }},
	{"faults", objectsByName, "the fault rules of the scenario by name, those that are over too: calls (that matched), hits", observe.FromFaults,
		func(s *observe.Snapshot) any { return s.Faults }},
	{"ccm", objectsByName, "the CCM: running (bool), exits (unexpected ones), restarts, killed (whether killAt has fired), tokenID, standby.running", observe.FromRun,
		func(s *observe.Snapshot) any { return s.CCM }},
	{"traffic", objectsByName, "what steps of the verb traffic have started, by name: sent, ok, failed, errors (the last 10), longestGap (the longest time without an answer that was ok, in ms)", observe.FromTraffic,
		func(s *observe.Snapshot) any { return s.Traffic }},
	{"testImage", cel.StringType, "the image of the test server for pods, which every node has", observe.FromRun,
		func(s *observe.Snapshot) any { return s.TestImage }},
	{"elapsed", cel.DurationType, "the time since the scenario began", observe.FromRun,
		func(s *observe.Snapshot) any { return s.Elapsed }},
	{"ns", cel.StringType, "the scenario's namespace", observe.FromRun,
		func(s *observe.Snapshot) any { return s.Namespace }},
}

func clusterVariable(name, doc string) Variable {
	return Variable{name, objectsByName, doc, observe.FromCluster, func(s *observe.Snapshot) any { return s.Objects[name] }}
}

// cloudVariables show the cloud, each the resources of a kind.
func cloudVariables() []Variable {
	var all []Variable
	for _, kind := range observe.Kinds {
		all = append(all, Variable{kind.Variable, listOfObjects, kind.Doc, observe.FromCloud, func(s *observe.Snapshot) any { return s.Resources[kind.Variable] }})
	}
	return all
}

// activation gives expressions the variables of the snapshot.
func activationOf(s *observe.Snapshot) interpreter.Activation { return activation{s} }

type activation struct{ s *observe.Snapshot }

// ResolveName finds a variable or a captured value.
func (a activation) ResolveName(name string) (any, bool) {
	for _, v := range Variables {
		if v.Name == name {
			return v.get(a.s), true
		}
	}
	if name == namingVariable {
		return namingValue{types.NullValue, names{a.s.Naming, a.s.NodeName}}, true
	}
	value, ok := a.s.Captured[name]
	return value, ok
}

// Parent returns nil: there are no other names.
func (a activation) Parent() cel.Activation { return nil }
