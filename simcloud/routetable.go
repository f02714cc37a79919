package simcloud

// RouteTable tells the machines of a network where to send packets.
type RouteTable struct {
	Meta
	Network ID `json:"network"`
	// Limit is how many routes fit; one more answers Capacity.
	Limit  int     `json:"limit"`
	Routes []Route `json:"routes"`
}

// Route is one entry of a route table. Its destination is unique in the table.
type Route struct {
	ID          ID     `json:"id"`
	Name        string `json:"name,omitempty"`
	Destination string `json:"destination"` // a CIDR
	// NextHop is an instance, or else an address.
	NextHop NextHop    `json:"nextHop"`
	State   RouteState `json:"state"`
	// Labels tell whose route it is.
	Labels map[string]string `json:"labels,omitempty"`
}

// NextHop is where a route leads: exactly one of its fields is set.
type NextHop struct {
	Instance ID     `json:"instance,omitempty"`
	Address  string `json:"address,omitempty"`
}

// RouteState is whether a route leads anywhere.
type RouteState string

// The states of a route.
const (
	RouteActive    RouteState = "active"
	RouteBlackhole RouteState = "blackhole" // the next hop's instance is gone
)

// RouteTableSpec describes a route table to create.
type RouteTableSpec struct {
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels,omitempty"`
	Network ID                `json:"network,omitempty"` // empty means the cloud's first
	Limit   int               `json:"limit,omitempty"`   // 0 means Config.MaxRoutes, or else DefaultRouteLimit
}

// DefaultRouteLimit is the number of routes of a table that does not say.
const DefaultRouteLimit = 500

// RouteTableUpdate changes what is not nil.
type RouteTableUpdate struct {
	Name *string `json:"name,omitempty"`
	// Labels replaces all labels.
	Labels *map[string]string `json:"labels,omitempty"`
	Limit  *int               `json:"limit,omitempty"`
}

// RouteSpec describes a route to create.
type RouteSpec struct {
	Name        string            `json:"name,omitempty"`
	Destination string            `json:"destination"`
	NextHop     NextHop           `json:"nextHop"`
	Labels      map[string]string `json:"labels,omitempty"`
}
