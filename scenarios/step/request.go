package step

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// request asks something of the cluster from outside, as a client of it would.
type request interface {
	// Send sends one request on a connection of its own and returns the answer.
	Send(ctx context.Context) (Answer, error)
}

// Answer is what came back.
type Answer struct {
	// Status is that of HTTP; empty where there is none.
	Status string
	body   string
	// Ok is whether it is what a client wants.
	Ok bool
}

// mostAnswer is how much of an answer is read.
const mostAnswer = 64 << 10

// asked says how often a request is sent, and how long each may take.
type asked struct {
	times   int
	timeout time.Duration
}

// defaultRequestTimeout is how long a request may take where a step does not say otherwise.
const defaultRequestTimeout = 2 * time.Second

// all sends a request as often as is wanted, one after the other.
func (a asked) all(ctx context.Context, r request) *tally {
	t := newTally()
	for range a.times {
		answer, err := a.one(ctx, r)
		if ctx.Err() != nil {
			break
		}
		t.add(answer, err)
	}
	return t
}

// one sends a request once.
func (a asked) one(ctx context.Context, r request) (Answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.timeout, errNoAnswer{a.timeout})
	defer cancel()
	got, err := r.Send(ctx)
	var late errNoAnswer
	if err != nil && errors.As(context.Cause(ctx), &late) {
		err = late
	}
	return got, err
}

// errNoAnswer says that a request took too long.
type errNoAnswer struct{ after time.Duration }

func (e errNoAnswer) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

// dialer makes connections from an address of this machine; from the one that
// the system chooses when it is empty.
func dialer(from, network string) (*net.Dialer, error) {
	if from == "" {
		return &net.Dialer{}, nil
	}
	address, err := netip.ParseAddr(from)
	if err != nil {
		return nil, wrongFrom(from)
	}
	at := netip.AddrPortFrom(address, 0)
	if network == "udp" {
		return &net.Dialer{LocalAddr: net.UDPAddrFromAddrPort(at)}, nil
	}
	return &net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(at)}, nil
}

func wrongFrom(from string) error {
	return fmt.Errorf("from is %q: want an IP address of this machine, such as 127.0.0.9", from)
}
