package dataplane

import (
	"io"
	"net"

	proxyproto "github.com/pires/go-proxyproto"
)

// writeHeader tells a target whose connection it has got. Both addresses are
// the client's connection's, so that they are of one family.
func writeHeader(to io.Writer, version ProxyProtocol, client *net.TCPConn) error {
	if version == ProxyProtocolNone {
		return nil
	}
	header := proxyproto.HeaderProxyFromAddrs(byte(version), client.RemoteAddr(), client.LocalAddr())
	_, err := header.WriteTo(to)
	return err
}
