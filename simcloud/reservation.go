package simcloud

import "fmt"

// Reservation is a private address that is reserved, such as that of a port of OpenStack that nothing uses yet.
type Reservation struct {
	Network ID `json:"network"`
	// Subnet is the subnet whose range the address is from. In a request empty means the subnet that has Address, or else the
	// range of the network outside of its subnets.
	Subnet ID `json:"subnet,omitempty"`
	// Address asks for a certain address, and is empty in a request for the next that is free.
	Address string `json:"address,omitempty"`
	// Family is 4 or 6, for a network that has both; 0 means that of Address or Subnet, or else of the network's first range.
	Family int `json:"family,omitempty"`
}

// MaxReserved is how many addresses a document reserves at most.
const MaxReserved = 10

// reservations checks the addresses that a document is to reserve.
func (f *fieldErrors) reservations(field string, all []Reservation) {
	if len(all) > MaxReserved {
		f.add(field, "%d addresses are too many: at most %d", len(all), MaxReserved)
	}
	for i, r := range all {
		path := fmt.Sprintf("%s[%d].", field, i)
		f.networkAttachment(path, NetworkAttachment{Network: r.Network})
		f.address(path+"address", r.Address, r.Family)
	}
}
