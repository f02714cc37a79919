package aws_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestHostnames: the private DNS name of an instance is made of its address or of its id, as the cloud is configured, and finds it.
func TestHostnames(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, c := range []struct {
		names simcloud.HostnameForm
		typ   string
		want  func(id, address string) string
	}{
		{simcloud.HostnamePrivateDNS, "ip-name", func(_, address string) string {
			return "ip-" + strings.ReplaceAll(address, ".", "-") + ".region-1.compute.internal"
		}},
		{simcloud.HostnameResourceID, "resource-name", func(id, _ string) string { return id + ".region-1.compute.internal" }},
		{simcloud.HostnameName, "ip-name", func(string, string) string { return "web" }},
	} {
		must[simcloud.Config](t)(w.native.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Hostnames: &c.names}))
		const in = "instancesSet/item/"
		made := w.does(ec2, "RunInstances", run(1, 1, "TagSpecification.1.ResourceType", "instance",
			"TagSpecification.1.Tag.1.Key", "Name", "TagSpecification.1.Tag.1.Value", "web")...)
		id := made.text(in + "instanceId")
		name := c.want(id, made.text(in+"privateIpAddress"))
		made.has(in+"privateDnsName", name, in+"privateDnsNameOptions/hostnameType", c.typ)
		w.wantStates(id+" running", "Filter.1.Name", "private-dns-name", "Filter.1.Value.1", name)
		w.remove(simcloud.ID(id))
		w.does(ec2, "DescribeInstances", "InstanceId.1", id).has(inReservation+"privateDnsName", "", inReservation+"privateDnsNameOptions/hostnameType", "")
	}
}
