package step

import (
	"context"
	"fmt"
	"net"
	"time"
)

// udpRequest sends a datagram and waits for one.
type udpRequest struct {
	address string
	text    string
	dial    *net.Dialer
}

func newUDPRequest(from, address, text string) (*udpRequest, error) {
	dial, err := dialer(from, "udp")
	if err != nil {
		return nil, err
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, fmt.Errorf("address is %q: one such as 127.77.0.1:53 is right", address)
	}
	return &udpRequest{address, text, dial}, nil
}

// Send sends the text from a new port. Any datagram that comes back is an answer that is ok.
func (r *udpRequest) Send(ctx context.Context) (Answer, error) {
	conn, err := r.dial.DialContext(ctx, "udp", r.address)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if _, err := conn.Write([]byte(r.text)); err != nil {
		return Answer{}, err
	}
	body := make([]byte, mostAnswer)
	n, err := conn.Read(body)
	if err != nil {
		return Answer{}, err
	}
	return Answer{body: string(body[:n]), Ok: true}, nil
}
