package simcloud

import "context"

// DataPlaneAPI is about the packets: what listens at the VIPs of the load
// balancers of all projects, and what it finds of their targets.
type DataPlaneAPI interface {
	// GetDataPlane reads what the data plane does. A cloud without one reports Running false.
	GetDataPlane(ctx context.Context) (DataPlane, error)
	// ReportTargetHealth is the word of the data plane, healthy or unhealthy, on
	// a target, which holds while the target's instance runs in a zone that is
	// up. Conflict: there is no data plane, so that health follows the instance alone.
	// A target that is no instance goes by its address.
	ReportTargetHealth(ctx context.Context, lb, instance ID, health TargetHealth) error
	// ReportGroupTargetHealth is ReportTargetHealth for a target of a target group.
	ReportGroupTargetHealth(ctx context.Context, group, instance ID, port int, health TargetHealth) error
}

// DataPlane is what really listens and forwards for the load balancers.
type DataPlane struct {
	Running   bool                `json:"running"`
	Listeners []DataPlaneListener `json:"listeners"` // by load balancer, address, protocol and port
}

// DataPlaneListener is a listener of a load balancer at one of its VIPs. Its
// counters begin when it begins to listen.
type DataPlaneListener struct {
	LoadBalancer ID `json:"loadBalancer"`
	Listener     ID `json:"listener"`
	// Protocol is the transport that it forwards: tcp for http, https and tls. A
	// listener of tcp_udp is here twice, one of sctp with an error.
	Protocol Protocol `json:"protocol"`
	Address  string   `json:"address"`
	Port     int      `json:"port"`
	// Error says why nothing listens there, such as a port that another process has.
	Error string `json:"error,omitempty"`
	// Connections are open now, of TCP; clients remembered, of UDP.
	Connections int64 `json:"connections"`
	// Accepted have come, those that were refused included.
	Accepted int64 `json:"accepted"`
	// Refused have been turned away, by reason: source, no_target, dial, limit or security_group.
	Refused map[string]int64 `json:"refused,omitempty"`
	// Received and Sent are bytes from and to clients.
	Received int64             `json:"received"`
	Sent     int64             `json:"sent"`
	Targets  []DataPlaneTarget `json:"targets"`
}

// DataPlaneTarget is a target as one listener sees it.
type DataPlaneTarget struct {
	Instance ID `json:"instance,omitempty"`
	// Address is that of a target that is no instance.
	Address string `json:"address,omitempty"`
	// Port is where it takes connections, when it is a target of a group.
	Port   int          `json:"port,omitempty"`
	Health TargetHealth `json:"health"`
	// Reason is why it is unhealthy though its instance runs: what the last
	// check found, or that nothing may be sent to its addresses.
	Reason string `json:"reason,omitempty"`
	// Connections are open now, through all listeners of the load balancer.
	Connections int64 `json:"connections"`
}
