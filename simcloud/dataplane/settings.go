package dataplane

import (
	"net/netip"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// settings is what can change of a listener while it listens.
type settings struct {
	targetPort uint16
	allowed    []netip.Prefix
	proxy      ProxyProtocol
	idle       time.Duration
}

func newSettings(l Listener) *settings {
	s := &settings{
		targetPort: uint16(l.TargetPort), allowed: l.AllowedCIDRs, proxy: l.ProxyProtocol, idle: l.IdleTimeout,
	}
	switch {
	case s.idle > 0:
	case l.Protocol == simcloud.ProtocolUDP:
		s.idle = DefaultUDPIdleTimeout
	default:
		s.idle = DefaultIdleTimeout
	}
	return s
}

// allows reports whether a client may connect.
func (s *settings) allows(client netip.Addr) bool {
	if len(s.allowed) == 0 {
		return true
	}
	for _, prefix := range s.allowed {
		if prefix.Contains(client) {
			return true
		}
	}
	return false
}
