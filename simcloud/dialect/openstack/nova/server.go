package nova

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// server is an instance of the cloud.
type server struct {
	ID             string               `json:"id"`
	Name           string               `json:"name"`
	Status         string               `json:"status"`
	TenantID       string               `json:"tenant_id"`
	UserID         string               `json:"user_id"`
	HostID         string               `json:"hostId"`
	Created        string               `json:"created"`
	Updated        string               `json:"updated"`
	Progress       int                  `json:"progress"`
	AccessIPv4     string               `json:"accessIPv4"`
	AccessIPv6     string               `json:"accessIPv6"`
	Image          string               `json:"image"` // empty: it was made from a volume
	Flavor         reference            `json:"flavor"`
	Addresses      map[string][]address `json:"addresses"`
	Metadata       map[string]string    `json:"metadata"`
	Links          []service.Link       `json:"links"`
	KeyName        *string              `json:"key_name"`
	SecurityGroups []group              `json:"security_groups,omitempty"`
	Volumes        []volume             `json:"os-extended-volumes:volumes_attached"`
	Fault          *failure             `json:"fault,omitempty"`
	TaskState      *string              `json:"OS-EXT-STS:task_state"`
	VMState        string               `json:"OS-EXT-STS:vm_state"`
	PowerState     int                  `json:"OS-EXT-STS:power_state"`
	Zone           string               `json:"OS-EXT-AZ:availability_zone"`
	DiskConfig     string               `json:"OS-DCF:diskConfig"`
	Launched       *string              `json:"OS-SRV-USG:launched_at"`
	Terminated     *string              `json:"OS-SRV-USG:terminated_at"`
	ConfigDrive    string               `json:"config_drive"`
}

// reference is something of which an answer has the id alone.
type reference struct {
	ID    string         `json:"id"`
	Links []service.Link `json:"links"`
}

// address is one of a server, in the list of the network's name.
type address struct {
	Address string `json:"addr"`
	Version int    `json:"version"`
	Type    string `json:"OS-EXT-IPS:type"` // fixed or floating
	MAC     string `json:"OS-EXT-IPS-MAC:mac_addr"`
}

type group struct {
	Name string `json:"name"`
}

type volume struct {
	ID string `json:"id"`
}

// failure says why a server is in error.
type failure struct {
	Code    int    `json:"code"`
	Created string `json:"created"`
	Message string `json:"message"`
}

// state is what Nova says of the state of an instance.
type state struct {
	status, vm, task string
	power            int
}

// The states of power.
const (
	powerNone    = 0
	powerRunning = 1
	powerPaused  = 3
	powerOff     = 4
)

// states are those of instances. One that stops or is deleted is ACTIVE until it is done; that its zone is
// down does not show.
var states = map[simcloud.InstanceState]state{
	simcloud.InstancePending:     {"BUILD", "building", "spawning", powerNone},
	simcloud.InstanceRunning:     {"ACTIVE", "active", "", powerRunning},
	simcloud.InstanceStopping:    {"ACTIVE", "active", "powering-off", powerRunning},
	simcloud.InstanceStopped:     {"SHUTOFF", "stopped", "", powerOff},
	simcloud.InstanceRebooting:   {"REBOOT", "active", "rebooting", powerRunning},
	simcloud.InstanceRebuilding:  {"REBUILD", "active", "rebuilding", powerRunning},
	simcloud.InstanceMigrating:   {"MIGRATING", "active", "migrating", powerRunning},
	simcloud.InstanceSuspended:   {"SUSPENDED", "suspended", "", powerPaused},
	simcloud.InstanceError:       {"ERROR", "error", "", powerNone},
	simcloud.InstanceTerminating: {"ACTIVE", "active", "deleting", powerRunning},
}

// The formats of times: with a zone, and without one.
const (
	zoned   = time.RFC3339
	unzoned = "2006-01-02T15:04:05.000000"
)

// serverOf is an instance as Nova shows it, with what it refers to.
func serverOf(c service.Call, i simcloud.Instance, a around) server {
	now := states[i.State]
	s := server{
		ID: service.Servers.UUID(i.ID), Name: i.Name, Status: now.status, VMState: now.vm, TaskState: textOrNull(now.task), PowerState: now.power,
		TenantID: service.ProjectUUID(i.Project), UserID: service.ProjectUUID(i.Project), HostID: service.ProjectUUID(i.Zone),
		Created: i.Created.UTC().Format(zoned), Updated: i.Updated.UTC().Format(zoned), Zone: string(i.Zone), DiskConfig: "MANUAL",
		Flavor: flavorReference(c, i.Type), Addresses: map[string][]address{}, Metadata: copyLabels(i.Labels), Volumes: []volume{},
		Links: []service.Link{{Rel: "self", Href: c.Endpoint() + "/compute" + serversPath + "/" + service.Servers.UUID(i.ID)}},
	}
	if i.State != simcloud.InstancePending {
		launched := i.Created.UTC().Format(unzoned)
		s.Launched = &launched
	}
	if i.State == simcloud.InstanceError {
		s.Fault = &failure{Code: 500, Created: s.Updated, Message: cmp.Or(i.StatusText, "No valid host was found.")}
	}
	for _, id := range i.Volumes {
		s.Volumes = append(s.Volumes, volume{VolumeUUID(id)})
	}
	for _, id := range i.SecurityGroups {
		s.SecurityGroups = append(s.SecurityGroups, group{a.groups[id]})
	}
	s.addAddresses(i, a)
	return s
}

// addAddresses adds the addresses of an instance: the private ones are fixed ones of their networks, the public ones floating
// ones of its own network. A public IPv6 address, which no network of OpenStack translates, is the one to access it by.
func (s *server) addAddresses(i simcloud.Instance, a around) {
	own := a.networks[i.Network]
	for _, has := range i.Addresses {
		addr, err := netip.ParseAddr(has.Address)
		switch {
		case err != nil:
		case has.Scope == simcloud.ScopePrivate:
			s.add(a.networks[cmp.Or(has.Network, i.Network)], i, addr, "fixed")
		case addr.Is6():
			s.AccessIPv6 = has.Address
		default:
			s.add(own, i, addr, "floating")
		}
	}
	for _, text := range a.floating[i.ID] {
		if addr, err := netip.ParseAddr(text); err == nil {
			s.add(own, i, addr, "floating")
		}
	}
}

func (s *server) add(network string, i simcloud.Instance, addr netip.Addr, typ string) {
	version := 4
	if addr.Is6() {
		version = 6
	}
	s.Addresses[network] = append(s.Addresses[network], address{addr.String(), version, typ, service.MAC(i.ID)})
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func copyLabels(labels map[string]string) map[string]string {
	all := map[string]string{}
	for key, value := range labels {
		all[key] = value
	}
	return all
}
