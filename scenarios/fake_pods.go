package scenarios

import (
	"context"
	"fmt"
	"sync"
)

// fakePods answers commands one after the other as tests say; the last answer is that to all after it.
type fakePods struct {
	mu      sync.Mutex
	did     []string
	answers []fakeEnd
}

// fakeEnd is how a command ends.
type fakeEnd struct {
	PodResult
	err error
}

func (p *fakePods) Exec(_ context.Context, c PodCommand) (PodResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did = append(p.did, fmt.Sprintf("%+v", c))
	if len(p.answers) == 0 {
		return PodResult{}, nil
	}
	end := p.answers[0]
	if len(p.answers) > 1 {
		p.answers = p.answers[1:]
	}
	return end.PodResult, end.err
}
