package expr

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

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

// Type is what is known of its value.
func (v Variable) Type() Type { return Type{v.typ} }

// Doc says what it is.
func (v Variable) Doc() string { return v.doc }

// byName is the type of objects by their names, and listOf the one of a list of them.
func byName[T any]() *cel.Type { return cel.MapType(cel.StringType, typeOf[T]()) }
func listOf[T any]() *cel.Type { return cel.ListType(typeOf[T]()) }

// Variables is everything that an expression can read besides captured values.
var Variables = slices.Concat(clusterVariables, cloudVariables(), runVariables)

// clusterVariables show the cluster.
var clusterVariables = []Variable{
	{"nodes", byName[corev1.Node](), "the Nodes by name; a Node can also be named as its VM is", observe.FromCluster, nodesByName},
	clusterVariable[corev1.Pod]("pods", "the Pods of the scenario's namespace by name"),
	clusterVariable[corev1.Service]("services", "the Services of the scenario's namespace by name"),
	clusterVariable[discoveryv1.EndpointSlice]("endpointSlices", "the EndpointSlices of the scenario's namespace by name"),
	clusterVariable[appsv1.Deployment]("deployments", "the Deployments of the scenario's namespace by name"),
	clusterVariable[corev1.PersistentVolume]("persistentVolumes", "the PersistentVolumes by name"),
	clusterVariable[coordinationv1.Lease]("leases", "the Leases of the namespace kube-system by name"),
	{"events", listOf[corev1.Event](), "the Kubernetes Events of all namespaces since the scenario began", observe.FromCluster,
		func(s *observe.Snapshot) any { return s.Events }},
}

// runVariables show the run and what the CCM does in it.
var runVariables = []Variable{
	{"calls", listOf[observe.Call](), "the calls that the CCM made to the cloud since the scenario began: those that do not come from the harness", observe.FromJournal,
		func(s *observe.Snapshot) any { return s.Calls }},
	{"faults", byName[observe.FaultCount](), "the fault rules of the scenario by name, those that are over too: calls (that matched), hits", observe.FromFaults,
		func(s *observe.Snapshot) any { return s.Faults }},
	{"ccm", typeOf[observe.CCM](), "the CCM: running (bool), exits (unexpected ones), restarts, killed (whether killAt has fired), tokenID, standby.running", observe.FromRun,
		func(s *observe.Snapshot) any { return s.CCM }},
	{"traffic", byName[observe.TrafficCount](), "what steps of the verb traffic have started, by name: sent, ok, failed, errors (the last 10), longestGap (the longest time without an answer that was ok, in ms)", observe.FromTraffic,
		func(s *observe.Snapshot) any { return s.Traffic }},
	{"testImage", cel.StringType, "the image of the test server for pods, which every node has", observe.FromRun,
		func(s *observe.Snapshot) any { return s.TestImage }},
	{"elapsed", cel.DurationType, "the time since the scenario began", observe.FromRun,
		func(s *observe.Snapshot) any { return s.Elapsed }},
	{"ns", cel.StringType, "the scenario's namespace", observe.FromRun,
		func(s *observe.Snapshot) any { return s.Namespace }},
}

func clusterVariable[T any](name, doc string) Variable {
	return Variable{name, byName[T](), doc, observe.FromCluster, func(s *observe.Snapshot) any { return s.Objects[name] }}
}

// cloudVariables show the cloud, each the resources of a kind.
func cloudVariables() []Variable {
	var all []Variable
	for _, kind := range observe.Kinds {
		all = append(all, Variable{kind.Variable, cel.ListType(TypeOf(kind.Type).cel), kind.Doc, observe.FromCloud, func(s *observe.Snapshot) any { return s.Resources[kind.Variable] }})
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
		return namingValue{types.NullValue, names{a.s.Naming, a.s.NodeName, a.s.CloudID}}, true
	}
	value, ok := a.s.Captured[name]
	return value, ok
}

// Parent returns nil: there are no other names.
func (a activation) Parent() cel.Activation { return nil }
