package simcloud

import "slices"

// Protocol is what the clients of a listener speak.
type Protocol string

// The protocols of a listener.
const (
	ProtocolTCP Protocol = "tcp"
	ProtocolUDP Protocol = "udp"
	// ProtocolTCPUDP is one listener for both TCP and UDP.
	ProtocolTCPUDP Protocol = "tcp_udp"
	// ProtocolHTTP, ProtocolHTTPS and ProtocolTLS are kept, and forwarded as TCP: the
	// data plane looks into no connection.
	ProtocolHTTP  Protocol = "http"
	ProtocolHTTPS Protocol = "https"
	ProtocolTLS   Protocol = "tls"
	// ProtocolSCTP is kept; the data plane does not forward it.
	ProtocolSCTP Protocol = "sctp"
)

// Transports are the protocols whose port a listener takes: TCP for http, https
// and tls, both for tcp_udp, and the protocol itself for the others. Two listeners
// of a load balancer that have a transport in common cannot have one port.
func (p Protocol) Transports() []Protocol {
	switch p {
	case ProtocolHTTP, ProtocolHTTPS, ProtocolTLS:
		return []Protocol{ProtocolTCP}
	case ProtocolTCPUDP:
		return []Protocol{ProtocolTCP, ProtocolUDP}
	default:
		return []Protocol{p}
	}
}

// Shared is the transport that listeners of both protocols take a port of; empty when there is none.
func (p Protocol) Shared(other Protocol) Protocol {
	for _, transport := range p.Transports() {
		if slices.Contains(other.Transports(), transport) {
			return transport
		}
	}
	return ""
}
