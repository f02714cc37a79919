package ccm

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
)

// documented is one method of the framework's interfaces in one situation, and
// the calls of the cloud that it makes there are what docs/ccm.md says.
type documented struct {
	method    string // "InstancesV2.InstanceExists"
	situation string
	do        func(w *world) error
	// before brings the situation about; its calls do not count.
	before func(w *world)
}

// implementations are the interfaces with the types whose methods' comments describe them.
var implementations = []struct {
	of       reflect.Type
	receiver string
}{
	{reflect.TypeFor[cloudprovider.InstancesV2](), "Instances"},
	{reflect.TypeFor[cloudprovider.LoadBalancer](), "Balancers"},
	{reflect.TypeFor[cloudprovider.Routes](), "Routes"},
	{reflect.TypeFor[cloudprovider.Instances](), "InstancesV1"},
	{reflect.TypeFor[cloudprovider.Zones](), "InstancesV1"},
	{reflect.TypeFor[cloudprovider.Clusters](), "clusters"},
	{reflect.TypeFor[cloudprovider.PVLabeler](), "Labeler"},
}

// callTable says for every method what it does and which calls of the cloud it
// makes, as they were counted.
func callTable(t *testing.T, src sources) string {
	t.Helper()
	cases := map[string][]documented{}
	for _, d := range slices.Concat(documentedCalls(), documentedOldCalls()) {
		cases[d.method] = append(cases[d.method], d)
	}
	var rows [][]string
	for _, impl := range implementations {
		for i := range impl.of.NumMethod() {
			name := impl.of.Name() + "." + impl.of.Method(i).Name
			if len(cases[name]) == 0 {
				t.Errorf("documentedCalls has nothing of %s", name)
			}
			behaviour := src.methodDoc(t, impl.receiver, impl.of.Method(i).Name)
			for j, d := range cases[name] {
				cells := []string{"", "", "", d.situation, callsOf(t, d)}
				if j == 0 {
					cells[0], cells[1], cells[2] = impl.of.Name(), impl.of.Method(i).Name, behaviour
				}
				rows = append(rows, cells)
			}
		}
	}
	return markdownTable([]string{"interface", "method", "behaviour", "when", "calls"}, rows)
}

// callsOf counts what one case calls.
func callsOf(t *testing.T, d documented) string {
	t.Helper()
	w := newWorld(t, 3)
	if d.before != nil {
		d.before(w)
	}
	w.took()
	if err := d.do(w); err != nil {
		t.Errorf("%s, %s: %v", d.method, d.situation, err)
	}
	var calls []string
	for _, c := range w.took() {
		calls = append(calls, asCode(c))
	}
	if len(calls) == 0 {
		return "none"
	}
	return strings.Join(calls, ", ")
}

func documentedCalls() []documented {
	svc := func() *v1.Service { return ccmtest.Service() }
	made := func(w *world) { w.mustEnsure(svc()) }
	route := &cloudprovider.Route{TargetNode: "node-1", DestinationCIDR: "10.244.0.0/24"}
	routed := func(w *world) {
		if err := w.cloud.routes.CreateRoute(w.ctx(), ccmtest.Cluster, "", route); err != nil {
			w.t.Fatal(err)
		}
	}
	return []documented{
		{method: "InstancesV2.InstanceExists", situation: "a Node with a provider id", do: func(w *world) error {
			_, err := w.cloud.instances.InstanceExists(w.ctx(), w.nodes[0])
			return err
		}},
		{method: "InstancesV2.InstanceShutdown", situation: "a Node with a provider id", do: func(w *world) error {
			_, err := w.cloud.instances.InstanceShutdown(w.ctx(), w.nodes[0])
			return err
		}},
		{method: "InstancesV2.InstanceMetadata", situation: "a Node with a provider id", do: func(w *world) error {
			_, err := w.cloud.instances.InstanceMetadata(w.ctx(), w.nodes[0])
			return err
		}},
		{method: "InstancesV2.InstanceMetadata", situation: "a Node without one", do: func(w *world) error {
			_, err := w.cloud.instances.InstanceMetadata(w.ctx(), namedNode("node-1"))
			return err
		}},
		{method: "LoadBalancer.GetLoadBalancer", situation: "always", do: func(w *world) error {
			_, _, err := w.cloud.balancers.GetLoadBalancer(w.ctx(), ccmtest.Cluster, svc())
			return err
		}},
		{method: "LoadBalancer.GetLoadBalancerName", situation: "always", do: func(w *world) error {
			w.cloud.balancers.GetLoadBalancerName(w.ctx(), ccmtest.Cluster, svc())
			return nil
		}},
		{method: "LoadBalancer.EnsureLoadBalancer", situation: "a new Service", do: func(w *world) error {
			_, err := w.ensure(svc())
			return err
		}},
		{method: "LoadBalancer.EnsureLoadBalancer", situation: "nothing differs", before: made, do: func(w *world) error {
			_, err := w.ensure(svc())
			return err
		}},
		{method: "LoadBalancer.UpdateLoadBalancer", situation: "nothing differs", before: made, do: func(w *world) error {
			return w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, svc(), w.nodes)
		}},
		{method: "LoadBalancer.UpdateLoadBalancer", situation: "a node less", before: made, do: func(w *world) error {
			return w.cloud.balancers.UpdateLoadBalancer(w.ctx(), ccmtest.Cluster, svc(), w.nodes[:2])
		}},
		{method: "LoadBalancer.EnsureLoadBalancerDeleted", situation: "there is one", before: made, do: func(w *world) error {
			return w.cloud.balancers.EnsureLoadBalancerDeleted(w.ctx(), ccmtest.Cluster, svc())
		}},
		{method: "LoadBalancer.EnsureLoadBalancerDeleted", situation: "there is none", do: func(w *world) error {
			return w.cloud.balancers.EnsureLoadBalancerDeleted(w.ctx(), ccmtest.Cluster, svc())
		}},
		{method: "Routes.ListRoutes", situation: "always", before: routed, do: func(w *world) error {
			_, err := w.cloud.routes.ListRoutes(w.ctx(), ccmtest.Cluster)
			return err
		}},
		{method: "Routes.CreateRoute", situation: "a Node with a provider id", before: routed, do: func(w *world) error {
			return w.cloud.routes.CreateRoute(w.ctx(), ccmtest.Cluster, "", &cloudprovider.Route{TargetNode: "node-2", DestinationCIDR: "10.244.1.0/24"})
		}},
		{method: "Routes.DeleteRoute", situation: "always", before: routed, do: func(w *world) error {
			listed, err := w.cloud.routes.ListRoutes(w.ctx(), ccmtest.Cluster)
			if err != nil {
				return err
			}
			w.took()
			return w.cloud.routes.DeleteRoute(w.ctx(), ccmtest.Cluster, listed[0])
		}},
	}
}

// methodDoc is the comment of a method.
func (s sources) methodDoc(t *testing.T, receiver, method string) string {
	t.Helper()
	for _, file := range s.files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Name.Name != method || f.Recv == nil {
				continue
			}
			star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
			if ok && star.X.(*ast.Ident).Name == receiver {
				return s.prose(t, file.Name.Name, f.Doc, method)
			}
		}
	}
	t.Errorf("%s has no method %s", receiver, method)
	return ""
}
