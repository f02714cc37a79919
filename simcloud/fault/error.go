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
	Code    simcloud.Code `json:"code"`
	Message string        `json:"message,omitempty"`
	// RetryAfter is how long the answer asks to wait.
	RetryAfter simcloud.Duration `json:"retryAfter,omitempty"`
}

func (p *Problem) check(f *fields, path string) {
	oneOf(f, path+".code", p.Code, simcloud.Codes())
	f.pause(path+".retryAfter", p.RetryAfter)
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
