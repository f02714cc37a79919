package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
)

// maxHeader1 is the longest line that version 1 allows.
const maxHeader1 = 107

// readHeader1 reads a line such as "PROXY TCP4 192.0.2.1 192.0.2.2 4711 80".
func readHeader1(from *bufio.Reader) (net.Addr, error) {
	raw, err := from.ReadSlice('\n') // as much as the buffer takes
	if err != nil {
		return nil, fmt.Errorf("read the PROXY header: %w", err)
	}
	line := string(raw)
	words := strings.Fields(line)
	switch {
	case len(line) > maxHeader1 || !strings.HasSuffix(line, "\r\n"):
		return nil, fmt.Errorf("PROXY header %q: not a line of at most %d bytes", line, maxHeader1)
	case len(words) >= 2 && words[1] == "UNKNOWN":
		return nil, nil
	case len(words) != 6 || words[1] != "TCP4" && words[1] != "TCP6":
		return nil, fmt.Errorf("PROXY header %q: want a family, two addresses and two ports", line)
	}
	peer, err := netip.ParseAddrPort(net.JoinHostPort(words[2], words[4]))
	if err != nil {
		return nil, fmt.Errorf("PROXY header %q: %w", line, err)
	}
	return net.TCPAddrFromAddrPort(peer), nil
}

// The second half of the byte after the signature of version 2, and the families after it.
const (
	version2    = 0x2
	commandFrom = 0x1 // on behalf of somebody; 0 is the proxy itself
	familyTCP4  = 0x11
	familyTCP6  = 0x21
)

// readHeader2 reads the binary header: signature, version and command, family,
// length; then source, destination and both ports, and what we do not know.
func readHeader2(from *bufio.Reader) (net.Addr, error) {
	var fixed [len(signature2) + 4]byte
	if _, err := io.ReadFull(from, fixed[:]); err != nil {
		return nil, fmt.Errorf("read the PROXY header: %w", err)
	}
	what, family := fixed[len(signature2)], fixed[len(signature2)+1]
	rest := make([]byte, binary.BigEndian.Uint16(fixed[len(signature2)+2:]))
	if _, err := io.ReadFull(from, rest); err != nil {
		return nil, fmt.Errorf("read the PROXY header: %w", err)
	}
	size := map[byte]int{familyTCP4: 4, familyTCP6: 16}[family]
	switch {
	case what>>4 != version2:
		return nil, fmt.Errorf("PROXY header of version %d: 1 and 2 are known", what>>4)
	case what&0xf != commandFrom || size == 0:
		return nil, nil
	case len(rest) < 2*size+4:
		return nil, fmt.Errorf("PROXY header: %d bytes are too few for two addresses and ports", len(rest))
	}
	address, _ := netip.AddrFromSlice(rest[:size]) // of 4 or 16 bytes
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(address, binary.BigEndian.Uint16(rest[2*size:]))), nil
}
