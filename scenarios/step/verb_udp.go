package step

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

var udpVerb = syntax.Verb{
	Name:     "udp",
	Doc:      "sends a datagram from outside of the cluster, waits for one that comes back, and captures or judges the answers",
	Effect:   syntax.ReadOnly,
	Packets:  true,
	Examples: []string{`{address: "${ip}:53", send: hostname, capture: r}`},
	New:      func() syntax.Action { return &udpAction{requestAction: newRequestAction()} },
}

type udpAction struct {
	Address expr.Template `yaml:"address,required" doc:"where to: an address and a port"`
	Payload expr.Template `yaml:"send,required" doc:"what the datagram holds"`
	requestAction
}

func (a *udpAction) Text() string { return a.text(a.Address) }

func (a *udpAction) run(ctx context.Context, st *Stage) error { return a.send(ctx, st, a.request) }

func (a *udpAction) request(s *observe.Snapshot, from string) (request, error) {
	address, err := a.Address.Expand(s)
	if err != nil {
		return nil, err
	}
	payload, err := a.Payload.Expand(s)
	if err != nil {
		return nil, err
	}
	return newUDPRequest(from, address, payload)
}

func (a *udpAction) scaled(factor float64) action {
	return &udpAction{a.Address, a.Payload, a.slower(factor)}
}

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
		return nil, fmt.Errorf("address is %q: want an address such as 127.77.0.1:53", address)
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
