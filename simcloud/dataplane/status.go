package dataplane

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// ListenerStatus is how a listener does on one VIP.
type ListenerStatus struct {
	LoadBalancer simcloud.ID
	Listener     simcloud.ID
	Address      netip.Addr
	// Protocol is the transport that is forwarded. A listener of tcp_udp has two statuses.
	Protocol simcloud.Protocol
	Port     int
	// Error is why nothing listens; it is tried again every second. Nil when it listens.
	Error error
	// Connections are open now, of TCP; clients remembered, of UDP.
	Connections int64
	// Accepted have come since it listens, those that were refused included.
	Accepted int64
	// Refused have been turned away, by reason.
	Refused map[Refusal]int64
	// Received and Sent are bytes from and to clients. Those of a datagram
	// count once it is forwarded.
	Received, Sent int64
	// Targets are in the order in which they were given.
	Targets []TargetStatus
}

// TargetStatus is how a target does behind one listener.
type TargetStatus struct {
	Instance simcloud.ID
	// Port is that of the target, if it has one of its own.
	Port   int
	Health simcloud.TargetHealth
	// Checked is false while the listener's health check has not had an answer
	// yet; such a target is unhealthy.
	Checked bool
	// Reason is why it is unhealthy though its instance runs: what the last
	// check found, or that nothing may be sent to its addresses.
	Reason string
	// Connections are open now, through all listeners of the load balancer.
	Connections int64
}

// Refusal is why a connection, or the first datagram of a client, is turned away.
type Refusal string

// The reasons to turn a connection away.
const (
	RefusedSource   Refusal = "source"    // no AllowedCIDRs has it
	RefusedNoTarget Refusal = "no_target" // no target is healthy
	RefusedDial     Refusal = "dial"      // the target did not accept it in time
	RefusedLimit    Refusal = "limit"     // there are as many as Config allows
	// RefusedGroup: no rule of the security groups of the load balancer, or of the target, lets it in.
	RefusedGroup Refusal = "security_group"
)

// Health is how a target of a load balancer or of a group is, over all listeners.
type Health struct {
	LoadBalancer simcloud.ID
	Group        simcloud.ID // empty: it is a target of the load balancer
	Instance     simcloud.ID
	Port         int // of the target, if it has one of its own
	// Health is the worst of Target.Health and what the checks of all listeners say.
	Health simcloud.TargetHealth
	// Known is false while a check has had no answer yet and nothing else says
	// how the target is; Health is unhealthy then.
	Known bool
	// Outside is true when no address of the target is in the networks that targets may be in.
	Outside bool
}

// Status tells of all listeners, as the cloud shows it.
func (d *DataPlane) Status() []simcloud.DataPlaneListener {
	var all []simcloud.DataPlaneListener
	for _, s := range d.balancer.Status() {
		all = append(all, shown(s))
	}
	return all
}

func shown(s ListenerStatus) simcloud.DataPlaneListener {
	l := simcloud.DataPlaneListener{
		LoadBalancer: s.LoadBalancer, Listener: s.Listener,
		Protocol: s.Protocol, Address: s.Address.String(), Port: s.Port,
		Connections: s.Connections, Accepted: s.Accepted, Received: s.Received, Sent: s.Sent,
		Targets: []simcloud.DataPlaneTarget{},
	}
	if s.Error != nil {
		l.Error = s.Error.Error()
	}
	for reason, n := range s.Refused {
		if n == 0 {
			continue
		}
		if l.Refused == nil {
			l.Refused = map[string]int64{}
		}
		l.Refused[string(reason)] = n
	}
	for _, t := range s.Targets {
		instance, address := simcloud.TargetOf(t.Instance)
		l.Targets = append(l.Targets, simcloud.DataPlaneTarget{
			Instance: instance, Address: address, Port: t.Port, Health: t.Health, Reason: t.Reason, Connections: t.Connections,
		})
	}
	return l
}
