package fault

import (
	"context"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Problem answers with an error. The operation does not happen.
type Problem struct {
	anyCall
	// Code is the code of the error.
	Code simcloud.Code `json:"code"`
	// Message is the text of the error; without one it names the rule.
	Message string `json:"message,omitempty"`
	// RetryAfter is how long the answer asks to wait.
	RetryAfter simcloud.Duration `json:"retryAfter,omitempty"`
}

func (p *Problem) check(f *fields, path string) {
	oneOf(f, path+".code", p.Code, simcloud.Codes())
	f.pause(path+".retryAfter", p.RetryAfter)
}

func (*Problem) example() Rule {
	return Rule{
		Name: "full", Match: Match{Operation: "CreateInstance"}, When: When{Times: 1},
		Effect: Effect{Error: &Problem{Code: simcloud.Capacity, Message: "zone-a is full"}},
	}
}

func (p *Problem) before(_ context.Context, h *Hit) error {
	message := p.Message
	if message == "" {
		message = "injected by fault rule " + strconv.Quote(h.Name())
	}
	return &simcloud.Error{
		Code: p.Code, Resource: h.call.ref(), Message: message, RetryAfter: time.Duration(p.RetryAfter),
	}
}
