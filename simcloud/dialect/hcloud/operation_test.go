package hcloud_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// tour is a world that calls of each operation leave behind, one after the other.
type tour struct {
	world
	network     *hcloud.Network
	server      *hcloud.Server
	lb          *hcloud.LoadBalancer
	certificate *hcloud.Certificate
	action      *hcloud.Action
}

// stop is a call of one operation by Hetzner's library.
type stop struct {
	operation string
	call      func(*tour) error
}

// acts is the error of a call that answers an action, or of the action.
func (w *tour) acts(a *hcloud.Action, _ *hcloud.Response, err error) error {
	if err != nil {
		return err
	}
	return w.hetz.Action.WaitFor(w.Context(), a)
}

// kept is the error of a call that answers a resource, which is kept in into.
func kept[T any](into **T) func(v *T, _ *hcloud.Response, err error) error {
	return func(v *T, _ *hcloud.Response, err error) error {
		if err == nil && v == nil {
			return fmt.Errorf("there is no %T", v)
		}
		*into = v
		return err
	}
}

func last[T any](_ T, err error) error                          { return err }
func lastOfThree[T any](_ T, _ *hcloud.Response, e error) error { return e }

var placeStops = []stop{
	{"list_locations", func(w *tour) error { return last(w.hetz.Location.All(w.Context())) }},
	{"get_location", func(w *tour) error {
		all := must[[]*hcloud.Location](w)(w.hetz.Location.All(w.Context()))
		return lastOfThree(w.hetz.Location.GetByID(w.Context(), all[0].ID))
	}},
	{"list_server_types", func(w *tour) error { return last(w.hetz.ServerType.All(w.Context())) }},
	{"get_server_type", func(w *tour) error {
		all := must[[]*hcloud.ServerType](w)(w.hetz.ServerType.All(w.Context()))
		return lastOfThree(w.hetz.ServerType.GetByID(w.Context(), all[0].ID))
	}},
	{"list_load_balancer_types", func(w *tour) error { return last(w.hetz.LoadBalancerType.All(w.Context())) }},
	{"get_load_balancer_type", func(w *tour) error { return lastOfThree(w.hetz.LoadBalancerType.GetByID(w.Context(), 1)) }},
}

var networkStops = []stop{
	{"create_network", func(w *tour) error {
		return kept(&w.network)(w.hetz.Network.Create(w.Context(), hcloud.NetworkCreateOpts{Name: "n", IPRange: cidr(w.T, "10.9.0.0/16")}))
	}},
	{"list_networks", func(w *tour) error { return last(w.hetz.Network.All(w.Context())) }},
	{"get_network", func(w *tour) error { return kept(&w.network)(w.hetz.Network.GetByID(w.Context(), w.network.ID)) }},
	{"update_network", func(w *tour) error {
		return kept(&w.network)(w.hetz.Network.Update(w.Context(), w.network, hcloud.NetworkUpdateOpts{Name: "m"}))
	}},
	{"add_subnet", func(w *tour) error {
		subnet := hcloud.NetworkSubnet{Type: "cloud", NetworkZone: "region-1", IPRange: cidr(w.T, "10.9.1.0/24")}
		return w.acts(w.hetz.Network.AddSubnet(w.Context(), w.network, hcloud.NetworkAddSubnetOpts{Subnet: subnet}))
	}},
	{"delete_subnet", func(w *tour) error {
		subnet := hcloud.NetworkSubnet{IPRange: cidr(w.T, "10.9.1.0/24")}
		return w.acts(w.hetz.Network.DeleteSubnet(w.Context(), w.network, hcloud.NetworkDeleteSubnetOpts{Subnet: subnet}))
	}},
	{"add_route", func(w *tour) error {
		return w.acts(w.hetz.Network.AddRoute(w.Context(), w.network, hcloud.NetworkAddRouteOpts{Route: w.route()}))
	}},
	{"delete_route", func(w *tour) error {
		return w.acts(w.hetz.Network.DeleteRoute(w.Context(), w.network, hcloud.NetworkDeleteRouteOpts{Route: w.route()}))
	}},
	{"change_network_protection", func(w *tour) error {
		return w.acts(w.hetz.Network.ChangeProtection(w.Context(), w.network, hcloud.NetworkChangeProtectionOpts{Delete: hcloud.Ptr(false)}))
	}},
	{"list_network_actions", func(w *tour) error {
		return w.acted("create_network update_network add_route delete_route")(w.hetz.Network.Action.AllFor(w.Context(), w.network, hcloud.ActionListOpts{}))
	}},
	{"delete_network", func(w *tour) error { return last(w.hetz.Network.Delete(w.Context(), w.network)) }},
}

func (w *tour) route() hcloud.NetworkRoute {
	return hcloud.NetworkRoute{Destination: cidr(w.T, "10.100.1.0/24"), Gateway: net.ParseIP("10.9.0.5")}
}

// acted reports which of the commands are not among the actions of a resource, and an action of another one.
func (w *tour) acted(commands string) func(actions []*hcloud.Action, err error) error {
	return func(actions []*hcloud.Action, err error) error {
		var have []string
		for _, a := range actions {
			have = append(have, a.Command)
			if err == nil && (len(a.Resources) != 1 || *a.Resources[0] != *actions[0].Resources[0]) {
				err = fmt.Errorf("the action %d, %s, is not about the resource of the first", a.ID, a.Command)
			}
		}
		for command := range strings.SplitSeq(commands, " ") {
			if err == nil && !slices.Contains(have, command) {
				err = fmt.Errorf("the actions %v do not have %s", have, command)
			}
		}
		return err
	}
}

var serverStops = []stop{
	{"create_server", func(w *tour) error {
		made, _, err := w.hetz.Server.Create(w.Context(), hcloud.ServerCreateOpts{
			Name: "node-1", ServerType: &hcloud.ServerType{Name: "small"}, Image: &hcloud.Image{Name: "x"}, Networks: []*hcloud.Network{{ID: 1}},
		})
		w.server, w.action = made.Server, made.Action
		return err
	}},
	{"list_servers", func(w *tour) error { return last(w.hetz.Server.All(w.Context())) }},
	{"get_server", func(w *tour) error { return kept(&w.server)(w.hetz.Server.GetByID(w.Context(), w.server.ID)) }},
	{"update_server", func(w *tour) error {
		return kept(&w.server)(w.hetz.Server.Update(w.Context(), w.server, hcloud.ServerUpdateOpts{Name: "node-2"}))
	}},
	{"poweroff", func(w *tour) error { return w.acts(w.hetz.Server.Poweroff(w.Context(), w.server)) }},
	{"poweron", func(w *tour) error { return w.acts(w.hetz.Server.Poweron(w.Context(), w.server)) }},
	{"reboot", func(w *tour) error { return w.acts(w.hetz.Server.Reboot(w.Context(), w.server)) }},
	{"reset", func(w *tour) error { return w.acts(w.hetz.Server.Reset(w.Context(), w.server)) }},
	{"rebuild", func(w *tour) error {
		result, res, err := w.hetz.Server.RebuildWithResult(w.Context(), w.server, hcloud.ServerRebuildOpts{Image: &hcloud.Image{Name: "x"}})
		return w.acts(result.Action, res, err)
	}},
	{"change_server_dns_ptr", func(w *tour) error {
		return w.acts(w.hetz.Server.ChangeDNSPtr(w.Context(), w.server, w.server.PublicNet.IPv4.IP.String(), hcloud.Ptr("a.example.com")))
	}},
	{"change_server_protection", func(w *tour) error {
		off := hcloud.Ptr(false)
		return w.acts(w.hetz.Server.ChangeProtection(w.Context(), w.server, hcloud.ServerChangeProtectionOpts{Delete: off, Rebuild: off}))
	}},
	{"attach_server_to_network", func(w *tour) error {
		made := hcloud.NetworkCreateOpts{Name: "second", IPRange: cidr(w.T, "10.77.0.0/16")}
		if err := kept(&w.network)(w.hetz.Network.Create(w.Context(), made)); err != nil {
			return err
		}
		return w.acts(w.hetz.Server.AttachToNetwork(w.Context(), w.server, hcloud.ServerAttachToNetworkOpts{Network: w.network}))
	}},
	{"change_alias_ips", func(w *tour) error {
		aliases := []net.IP{net.ParseIP("10.77.7.7")}
		return w.acts(w.hetz.Server.ChangeAliasIPs(w.Context(), w.server, hcloud.ServerChangeAliasIPsOpts{Network: w.network, AliasIPs: aliases}))
	}},
	{"detach_server_from_network", func(w *tour) error {
		return w.acts(w.hetz.Server.DetachFromNetwork(w.Context(), w.server, hcloud.ServerDetachFromNetworkOpts{Network: w.network}))
	}},
	{"list_actions", func(w *tour) error {
		return w.acted("create_server")(w.hetz.Action.AllWithOpts(w.Context(), hcloud.ActionListOpts{ID: []int64{w.action.ID}}))
	}},
	{"get_action", func(w *tour) error { return kept(&w.action)(w.hetz.Action.GetByID(w.Context(), w.action.ID)) }},
	{"list_server_actions", func(w *tour) error {
		return w.acted("create_server stop_server start_server reboot_server rebuild_server")(
			w.hetz.Server.Action.AllFor(w.Context(), w.server, hcloud.ActionListOpts{Status: []hcloud.ActionStatus{hcloud.ActionStatusSuccess}}))
	}},
}

var certificateStops = []stop{
	{"create_certificate", func(w *tour) error { w.certificate = w.managed("le", "a.invalid").Certificate; return nil }},
	{"list_certificates", func(w *tour) error { return last(w.hetz.Certificate.All(w.Context())) }},
	{"get_certificate", func(w *tour) error {
		return kept(&w.certificate)(w.hetz.Certificate.GetByID(w.Context(), w.certificate.ID))
	}},
	{"update_certificate", func(w *tour) error {
		return kept(&w.certificate)(w.hetz.Certificate.Update(w.Context(), w.certificate, hcloud.CertificateUpdateOpts{Name: "other"}))
	}},
	{"retry_certificate", func(w *tour) error { return lastOfThree(w.hetz.Certificate.RetryIssuance(w.Context(), w.certificate)) }},
	{"list_certificate_actions", func(w *tour) error {
		return w.acted("create_certificate issue_certificate")(w.hetz.Certificate.Action.AllFor(w.Context(), w.certificate, hcloud.ActionListOpts{}))
	}},
	{"delete_certificate", func(w *tour) error { return last(w.hetz.Certificate.Delete(w.Context(), w.certificate)) }},
}

var balancerStops = []stop{
	{"create_load_balancer", func(w *tour) error { w.lb = w.balancer("a"); return nil }},
	{"list_load_balancers", func(w *tour) error { return last(w.hetz.LoadBalancer.All(w.Context())) }},
	{"get_load_balancer", func(w *tour) error { return kept(&w.lb)(w.hetz.LoadBalancer.GetByID(w.Context(), w.lb.ID)) }},
	{"update_load_balancer", func(w *tour) error {
		return kept(&w.lb)(w.hetz.LoadBalancer.Update(w.Context(), w.lb, hcloud.LoadBalancerUpdateOpts{Name: "b"}))
	}},
	{"add_service", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.AddService(w.Context(), w.lb, hcloud.LoadBalancerAddServiceOpts{Protocol: "http"}))
	}},
	{"update_service", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.UpdateService(w.Context(), w.lb, 80, hcloud.LoadBalancerUpdateServiceOpts{DestinationPort: hcloud.Ptr(81)}))
	}},
	{"delete_service", func(w *tour) error { return w.acts(w.hetz.LoadBalancer.DeleteService(w.Context(), w.lb, 80)) }},
	{"add_target", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.AddServerTarget(w.Context(), w.lb, serverTarget(w.server.ID, false)))
	}},
	{"remove_target", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.RemoveServerTarget(w.Context(), w.lb, w.server))
	}},
	{"change_algorithm", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.ChangeAlgorithm(w.Context(), w.lb, hcloud.LoadBalancerChangeAlgorithmOpts{Type: "least_connections"}))
	}},
	{"change_type", func(w *tour) error {
		opts := hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb21"}}
		return w.acts(w.hetz.LoadBalancer.ChangeType(w.Context(), w.lb, opts))
	}},
	{"attach_to_network", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.AttachToNetwork(w.Context(), w.lb, hcloud.LoadBalancerAttachToNetworkOpts{Network: &hcloud.Network{ID: 1}}))
	}},
	{"disable_public_interface", func(w *tour) error { return w.acts(w.hetz.LoadBalancer.DisablePublicInterface(w.Context(), w.lb)) }},
	{"enable_public_interface", func(w *tour) error { return w.acts(w.hetz.LoadBalancer.EnablePublicInterface(w.Context(), w.lb)) }},
	{"detach_from_network", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.DetachFromNetwork(w.Context(), w.lb, hcloud.LoadBalancerDetachFromNetworkOpts{Network: &hcloud.Network{ID: 1}}))
	}},
	{"change_dns_ptr", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.ChangeDNSPtr(w.Context(), w.lb, w.lb.PublicNet.IPv4.IP.String(), hcloud.Ptr("b.example.com")))
	}},
	{"change_load_balancer_protection", func(w *tour) error {
		return w.acts(w.hetz.LoadBalancer.ChangeProtection(w.Context(), w.lb, hcloud.LoadBalancerChangeProtectionOpts{Delete: hcloud.Ptr(false)}))
	}},
	{"list_load_balancer_actions", func(w *tour) error {
		return w.acted("create_load_balancer add_service add_target attach_to_network")(
			w.hetz.LoadBalancer.Action.AllFor(w.Context(), w.lb, hcloud.ActionListOpts{}))
	}},
	{"delete_load_balancer", func(w *tour) error { return last(w.hetz.LoadBalancer.Delete(w.Context(), w.lb)) }},
	{"shutdown", func(w *tour) error { return w.acts(w.hetz.Server.Shutdown(w.Context(), w.server)) }},
	{"delete_server", func(w *tour) error {
		result, res, err := w.hetz.Server.DeleteWithResult(w.Context(), w.server)
		if err != nil {
			return err
		}
		return w.acts(result.Action, res, err)
	}},
}

// operationsOf are the operations of the dialect.
func operationsOf(t *testing.T) []dialect.Operation {
	t.Helper()
	for _, d := range sim.Dialects() {
		if d.Name == "hcloud" {
			return d.Operations
		}
	}
	t.Fatal("there is no dialect hcloud")
	return nil
}

// TestEachOperationIsCalled: Hetzner's library calls each operation that the dialect has, and gets what it wants.
func TestEachOperationIsCalled(t *testing.T) {
	t.Parallel()
	w := &tour{world: open(t)}
	called := map[string]bool{}
	for _, s := range slices.Concat(placeStops, networkStops, serverStops, certificateStops, balancerStops) {
		if err := s.call(w); err != nil {
			t.Fatalf("%s: %v", s.operation, err)
		}
		filter := simcloud.JournalFilter{Operation: simcloud.DialectOperation("hcloud", s.operation)}
		entries := must[[]simcloud.JournalEntry](t)(w.native.ListJournal(t.Context(), filter))
		if len(entries) == 0 || entries[len(entries)-1].Code != "" {
			t.Errorf("%s: the journal has %+v", s.operation, entries)
		}
		called[s.operation] = true
	}
	for _, o := range operationsOf(t) {
		if o.Standing != dialect.Unsupported && !called[o.Name] {
			t.Errorf("no stop of the tour calls %s", o.Name)
		}
		delete(called, o.Name)
	}
	for name := range called {
		t.Errorf("the dialect has no operation %s", name)
	}
}

// TestMissingOperations: what is not simulated is refused with Hetzner's error, whatever is asked.
func TestMissingOperations(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, o := range operationsOf(t) {
		if o.Standing == dialect.Unsupported {
			w.refuses(o.Method, strings.ReplaceAll(strings.TrimPrefix(o.Path, "/"), "{id}", "1"), "", 422, "unsupported_error")
		}
	}
}
