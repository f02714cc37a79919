package network

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type documentResult = simcloud.Result[simcloud.Document]

func reserving(f *suite.Fixture, name string, reserved ...simcloud.Reservation) (documentResult, error) {
	f.Helper()
	return f.CreateDocument(f.Ctx, simcloud.DocumentSpec{Name: name, Dialect: "acme", Type: "port", Body: json.RawMessage(`{}`), Reserved: reserved})
}

// testReservations: a document reserves addresses, which a load balancer can use and does not take with it.
func testReservations(s suite.Runner) {
	s.Test("CreateDocument/Reserved", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/29", "fd09::/64") // five addresses of IPv4
		d := suite.Must[documentResult](f)(reserving(f, "a", simcloud.Reservation{Network: network.ID, Address: "10.9.0.4"}, simcloud.Reservation{Network: network.ID, Family: 6})).Resource
		f.Equal("first", d.Reserved[0], simcloud.Reservation{Network: network.ID, Address: "10.9.0.4", Family: 4})
		f.Equal("family of the second", d.Reserved[1].Family, 6)
		_, err := reserving(f, "b", simcloud.Reservation{Network: network.ID, Address: "10.9.0.4"})
		f.Want(err, simcloud.AlreadyExists)
		for field, bad := range map[string]simcloud.Reservation{
			"reserved[0].network": {Network: "net-9"}, "reserved[0].subnet": {Network: network.ID, Subnet: "subnet-9"},
			"reserved[0].address": {Network: network.ID, Address: "10.10.0.1"}, "reserved[0].family": {Network: "net-1", Family: 6},
		} {
			_, err := reserving(f, "b", bad)
			f.WantField(err, field)
		}
		for range 4 {
			if got := f.InstanceOf(simcloud.InstanceSpec{Name: "i", Network: network.ID, NoPublicAddress: true}).Addresses[0].Address; got == "10.9.0.4" {
				f.Errorf("an instance has %s, which is reserved", got)
			}
		}
		_, err = f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "i", Network: network.ID})
		f.Want(err, simcloud.Capacity)
		f.Check()
		suite.Drop(f)(f.DeleteDocument(f.Ctx, d.ID))
		f.Check()
		f.Equal("address that was freed", f.InstanceOf(simcloud.InstanceSpec{Name: "i", Network: network.ID}).Addresses[0].Address, "10.9.0.4")
	})
	s.Test("DeleteNetwork/Reserved", func(f *suite.Fixture) {
		network := f.Network("10.9.0.0/29")
		suite.Must[documentResult](f)(reserving(f, "a", simcloud.Reservation{Network: network.ID}))
		_, err := f.DeleteNetwork(f.Ctx, network.ID)
		f.Want(err, simcloud.InUse)
	})
	s.Test("CreateLoadBalancer/Reservation", func(f *suite.Fixture) {
		d := suite.Must[documentResult](f)(reserving(f, "a", simcloud.Reservation{Network: "net-1"})).Resource
		plain := suite.Must[documentResult](f)(reserving(f, "plain")).Resource
		lb := f.LoadBalancer(simcloud.LoadBalancerSpec{Reservation: d.ID})
		f.Equal("VIPs", lb.VIPs, []simcloud.VIP{{Address: d.Reserved[0].Address, Network: "net-1", Document: d.ID}})
		f.Check()
		for _, bad := range []simcloud.ID{"doc-9", plain.ID} {
			_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Reservation: bad})
			f.WantField(err, "reservation")
		}
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "b", Reservation: d.ID})
		f.Want(err, simcloud.Conflict)
		_, err = f.DeleteDocument(f.Ctx, d.ID)
		f.Want(err, simcloud.InUse)
		suite.Drop(f)(f.DeleteLoadBalancer(f.Ctx, lb.ID))
		f.Check()
		f.Equal("the document", suite.Must[simcloud.Document](f)(f.GetDocument(f.Ctx, d.ID)), d)
		again := f.LoadBalancer(simcloud.LoadBalancerSpec{Reservation: d.ID})
		f.Equal("the address of another one", again.VIPs[0].Address, lb.VIPs[0].Address)
		suite.Must[lbResult](f)(f.DetachLoadBalancerNetwork(f.Ctx, again.ID, "net-1"))
		suite.Drop(f)(f.DeleteDocument(f.Ctx, d.ID))
		f.Check()
	})
}
