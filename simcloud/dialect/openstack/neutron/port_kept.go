package neutron

import (
	"encoding/json"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// keptPort is what the document of a port says that exists by itself. The document reserves the fixed addresses.
type keptPort struct {
	Name           string   `json:"name,omitempty"`
	Description    string   `json:"description,omitempty"`
	NetworkID      string   `json:"network_id"`
	DeviceID       string   `json:"device_id,omitempty"`
	DeviceOwner    string   `json:"device_owner,omitempty"`
	SecurityGroups []string `json:"security_groups,omitempty"`
}

// Documents are the types of the documents that the service keeps in the cloud.
func Documents() []dialect.DocumentType {
	return []dialect.DocumentType{{Name: service.PortDocument, Check: func(d simcloud.Document) error {
		_, err := readKept(d)
		return err
	}}}
}

// readKept is what the document of a port says.
func readKept(d simcloud.Document) (says keptPort, err error) {
	switch err := json.Unmarshal(d.Body, &says); {
	case err != nil:
		return says, err
	case service.Networks.ID(says.NetworkID) == "":
		return says, fmt.Errorf("network_id is %.100q: must be the UUID of a network", says.NetworkID)
	}
	return says, nil
}

// keptDocument reads the document of a port that exists by itself. One that cannot be read is not found: it is from a cloud
// that took what its reader does not.
func keptDocument(c service.Call, uuid string) (d simcloud.Document, says keptPort, err error) {
	id := service.Ports.ID(uuid)
	if id != "" {
		d, err = c.Cloud.GetDocument(c.Ctx(), id)
	}
	if err != nil && simcloud.CodeOf(err) != simcloud.NotFound {
		return d, says, err
	}
	if id != "" && err == nil && service.IsPort(d) {
		if says, err = readKept(d); err == nil {
			return d, says, nil
		}
	}
	return d, says, missing("PortNotFound", "Port", uuid)
}

// kept is a port that exists by itself, which a load balancer may use; user is nil without one.
func (p ports) kept(d simcloud.Document, says keptPort, user *simcloud.LoadBalancer) port {
	shown := newPort(service.Ports.UUID(d.ID), d.Meta, simcloud.Attachment{Kind: simcloud.KindDocument, ID: d.ID}, service.Networks.ID(says.NetworkID))
	shown.Name, shown.Description, shown.DeviceID, shown.DeviceOwner = says.Name, says.Description, says.DeviceID, says.DeviceOwner
	shown.Status = "DOWN"
	if user != nil {
		shown.owner = simcloud.Attachment{Kind: simcloud.KindLoadBalancer, ID: user.ID}
		shown.DeviceID, shown.DeviceOwner, shown.Status = "lb-"+service.LoadBalancers.UUID(user.ID), ownerVIP, active
	}
	for _, r := range d.Reserved {
		shown.FixedIPs = append(shown.FixedIPs, fixedIP{p.subnetAt(r.Network, r.Address), r.Address})
	}
	shown.SecurityGroups = append(shown.SecurityGroups, says.SecurityGroups...)
	return p.without(shown)
}

// ofDocument returns the port that exists by itself and has this id; none when there is none.
func (p ports) ofDocument(c service.Call, uuid string) ([]port, error) {
	d, says, err := keptDocument(c, uuid)
	if err != nil {
		return nil, err
	}
	users, err := simcloud.ListAll(c.Ctx(), c.Cloud.ListLoadBalancers, simcloud.ListOptions{
		RefersTo: simcloud.Ref(simcloud.KindDocument, d.ID), PageSize: simcloud.MaxPageSize,
	})
	if err != nil {
		return nil, err
	}
	if len(users) > 0 {
		return []port{p.kept(d, says, &users[0])}, nil
	}
	return []port{p.kept(d, says, nil)}, nil
}

// allKept are the ports that exist by themselves; the load balancers are all that there are.
func (p ports) allKept(c service.Call, balancers []simcloud.LoadBalancer) ([]port, error) {
	documents, err := service.All(c, c.Cloud.ListDocuments)
	if err != nil {
		return nil, err
	}
	users := map[simcloud.ID]*simcloud.LoadBalancer{}
	for i, lb := range balancers {
		users[service.PortOf(lb)] = &balancers[i]
	}
	var all []port
	for _, d := range documents {
		if !service.IsPort(d) {
			continue
		}
		if says, err := readKept(d); err == nil {
			all = append(all, p.kept(d, says, users[d.ID]))
		}
	}
	return all, nil
}
