package steptest

import (
	"context"
	"fmt"
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios/step"
)

// Pods answers commands one after the other as tests say; the last answer is that to all after it.
type Pods struct {
	mu      sync.Mutex
	Did     []string
	Answers []End
}

// End is how a command ends.
type End struct {
	step.PodResult
	Err error
}

// Exec notes the command and answers as a test has set.
func (p *Pods) Exec(_ context.Context, c step.PodCommand) (step.PodResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Did = append(p.Did, fmt.Sprintf("%+v", c))
	if len(p.Answers) == 0 {
		return step.PodResult{}, nil
	}
	end := p.Answers[0]
	if len(p.Answers) > 1 {
		p.Answers = p.Answers[1:]
	}
	return end.PodResult, end.Err
}
