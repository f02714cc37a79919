package ec2

import (
	"net/netip"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// reservation is a request that has made instances. One that was made otherwise has its own.
type reservation struct {
	ID        string     `aws:"reservationId"`
	OwnerID   string     `aws:"ownerId"`
	Groups    []group    `aws:"groupSet"`
	Instances []instance `aws:"instancesSet"`
}

// instance is an instance as EC2 shows it.
type instance struct {
	ID               string             `aws:"instanceId"`
	ImageID          string             `aws:"imageId"`
	State            instanceState      `aws:"instanceState"`
	PrivateDNSName   string             `aws:"privateDnsName"`
	DNSName          string             `aws:"dnsName"`
	Type             string             `aws:"instanceType"`
	LaunchTime       time.Time          `aws:"launchTime"`
	Placement        placement          `aws:"placement"`
	SubnetID         string             `aws:"subnetId"`
	VPCID            string             `aws:"vpcId"`
	PrivateIPAddress string             `aws:"privateIpAddress"`
	IPAddress        string             `aws:"ipAddress"`
	IPv6Address      string             `aws:"ipv6Address"`
	SourceDestCheck  *bool              `aws:"sourceDestCheck"`
	Groups           []group            `aws:"groupSet"`
	Reason           string             `aws:"reason"`
	StateReason      *stateReason       `aws:"stateReason"`
	ClientToken      string             `aws:"clientToken"`
	Architecture     string             `aws:"architecture"`
	Tags             []service.Tag      `aws:"tagSet"`
	Interfaces       []networkInterface `aws:"networkInterfaceSet"`
	NameOptions      *nameOptions       `aws:"privateDnsNameOptions"`
}

type instanceState struct {
	Code int    `aws:"code"`
	Name string `aws:"name"`
}

// stateReason is why an instance is in its state.
type stateReason struct {
	Code    string `aws:"code"`
	Message string `aws:"message"`
}

var userInitiated = stateReason{"Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown"}

type placement struct {
	Zone    string `aws:"availabilityZone"`
	Tenancy string `aws:"tenancy"`
}

// group is a security group that an instance is in.
type group struct {
	ID   string `aws:"groupId"`
	Name string `aws:"groupName"`
}

// The states of an instance.
var (
	pending      = instanceState{0, "pending"}
	running      = instanceState{16, "running"}
	shuttingDown = instanceState{32, "shutting-down"}
	stopping     = instanceState{64, "stopping"}
	stopped      = instanceState{80, "stopped"}
	terminated   = instanceState{48, "terminated"}
)

// stateOf is the state of an instance. What EC2 has no word for runs: a stopped Node would be tainted, a
// terminated one deleted.
func stateOf(s simcloud.InstanceState) instanceState {
	switch s {
	case simcloud.InstancePending:
		return pending
	case simcloud.InstanceStopping:
		return stopping
	case simcloud.InstanceStopped:
		return stopped
	case simcloud.InstanceTerminating:
		return shuttingDown
	case gone:
		return terminated
	case simcloud.InstanceRunning, simcloud.InstanceRebooting, simcloud.InstanceRebuilding, simcloud.InstanceMigrating,
		simcloud.InstanceSuspended, simcloud.InstanceError:
		return running
	default:
		return running
	}
}

// StateName is what EC2 calls the state of an instance.
func StateName(s simcloud.InstanceState) string { return stateOf(s).Name }

// shownInstance shows an instance, given the names of its security groups.
func shownInstance(i simcloud.Instance, groups map[simcloud.ID]string) instance {
	shown := instanceOf(i)
	shown.Groups = membership(i.SecurityGroups, groups)
	for j := range shown.Interfaces {
		shown.Interfaces[j].Groups = shown.Groups
	}
	return shown
}

// instanceOf shows an instance without its security groups, whose names it does not have.
func instanceOf(i simcloud.Instance) instance {
	shown := instance{
		ID: string(i.ID), ImageID: imageOf(i), ClientToken: tokenOf(i), State: stateOf(i.State), Type: string(i.Type), LaunchTime: i.Created,
		Placement: placement{Zone: string(i.Zone), Tenancy: "default"}, Architecture: "x86_64", Tags: service.TagList(service.Tags(i.Meta)),
	}
	if i.State == gone {
		shown.Reason, shown.StateReason = "User initiated ("+i.Updated.UTC().Format("2006-01-02 15:04:05 GMT")+")", &userInitiated
		return shown
	}
	shown.SubnetID, shown.VPCID, shown.SourceDestCheck = subnetOf(i), vpcID(i.Network), new(checksSource(i))
	shown.Interfaces, shown.PrivateDNSName, shown.NameOptions = interfacesOf(i), privateName(i), nameOptionsOf(i)
	shown.PrivateIPAddress = firstAddress(i, simcloud.ScopePrivate, netip.Addr.Is4)
	shown.IPAddress = firstAddress(i, simcloud.ScopePublic, netip.Addr.Is4)
	shown.IPv6Address = firstAddress(i, simcloud.ScopePrivate, netip.Addr.Is6)
	shown.DNSName = publicName(shown.IPAddress, i.Region)
	return shown
}

// firstAddress is the first address of the instance's own network, or the first public one; empty when there is none.
func firstAddress(i simcloud.Instance, scope simcloud.AddressScope, is func(netip.Addr) bool) string {
	for _, a := range i.Addresses {
		addr, err := netip.ParseAddr(a.Address)
		if err == nil && a.Scope == scope && a.Network == "" && is(addr) {
			return a.Address
		}
	}
	return ""
}

// nameOptions say how an instance is called inside of its network.
type nameOptions struct {
	HostnameType string `aws:"hostnameType"`
	ARecord      bool   `aws:"enableResourceNameDnsARecord"`
	AAAARecord   bool   `aws:"enableResourceNameDnsAAAARecord"`
}

// nameOptionsOf tells a name that is made of the id of an instance, which has records of its own, from all others.
func nameOptionsOf(i simcloud.Instance) *nameOptions {
	if strings.HasPrefix(i.Hostname, string(i.ID)+".") {
		return &nameOptions{HostnameType: "resource-name", ARecord: true}
	}
	return &nameOptions{HostnameType: "ip-name"}
}

// privateName is the name by which the CCM finds the instance of a Node: the hostname, since that is
// how the machine registers. An instance without one has the name that EC2 makes of its address.
func privateName(i simcloud.Instance) string {
	if i.Hostname != "" {
		return i.Hostname
	}
	address := firstAddress(i, simcloud.ScopePrivate, netip.Addr.Is4)
	if address == "" {
		return ""
	}
	return "ip-" + strings.ReplaceAll(address, ".", "-") + "." + string(i.Region) + ".compute.internal"
}

// publicName is the name that EC2 makes of a public address.
func publicName(address string, region simcloud.ID) string {
	if address == "" {
		return ""
	}
	return "ec2-" + strings.ReplaceAll(address, ".", "-") + "." + string(region) + ".compute.amazonaws.com"
}
