package wire

import (
	"net"
	"net/netip"
	"strconv"
)

// parse reads an address such as "127.0.0.1:80"; fallback is the host of one
// that has none. The only name that the network knows is localhost.
func parse(address string, fallback netip.Addr) (netip.AddrPort, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return netip.AddrPort{}, &net.AddrError{Err: "invalid port", Addr: address}
	}
	ip := fallback
	switch host {
	case "":
	case "localhost":
		ip = loopback
	default:
		if ip, err = netip.ParseAddr(host); err != nil {
			return netip.AddrPort{}, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(port)), nil
}

// loopback is where everything is that has no other address.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// overlap reports whether a connection to one address might as well be to the other.
func overlap(a, b netip.AddrPort) bool {
	return a.Port() == b.Port() && (a.Addr() == b.Addr() || a.Addr().IsUnspecified() || b.Addr().IsUnspecified())
}

// reached is the address that a dialled one leads to: the unspecified one is this machine.
func reached(address netip.AddrPort) netip.AddrPort {
	if address.Addr().IsUnspecified() {
		return netip.AddrPortFrom(near(address.Addr()), address.Port())
	}
	return address
}

// near is this machine's address of the family of another one.
func near(address netip.Addr) netip.Addr {
	if address.Is6() {
		return netip.IPv6Loopback()
	}
	return loopback
}

// ports gives out the ports of a range in turn.
type ports struct {
	first, last uint16
	given       uint16 // the last that was; 0 before
}

// next returns the next port that is free.
func (p *ports) next(free func(uint16) bool) (uint16, bool) {
	for range int(p.last) - int(p.first) + 1 {
		if p.given < p.first || p.given == p.last {
			p.given = p.first
		} else {
			p.given++
		}
		if free(p.given) {
			return p.given, true
		}
	}
	return 0, false
}
