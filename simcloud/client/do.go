package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

// do performs the request, repeats it when that may help and cannot harm, and
// hands the body of a success to accept, whose error means that it was no answer of ours.
// A write that is refused at last has an error of both codes if an earlier
// attempt had no answer: the cloud may yet carry that out.
func (c *Client) do(ctx context.Context, r *request, accept func([]byte) error) error {
	r.identify()
	var unanswered error
	for attempt := 0; ; attempt++ {
		err := c.authenticated(func(secret string) error {
			return c.once(ctx, r, secret, accept)
		})
		switch {
		case !r.endpoint.Write():
		case mayBeCarriedOut(err):
			unanswered = err
		case err != nil && unanswered != nil:
			err = fmt.Errorf("%w (an earlier attempt had no answer: %w)", err, unanswered)
		}
		if err == nil || ctx.Err() != nil || !r.repeatable() || !retryable(err) {
			return ended(ctx, r, err)
		}
		backoff, again := c.retry.wait(attempt, err)
		if !again {
			return err
		}
		if wait.Pause(ctx, backoff) != nil {
			return ended(ctx, r, err)
		}
		c.retry.retried(r.endpoint.Operation, err)
	}
}

// mayBeCarriedOut reports whether err is no answer to the attempt.
func mayBeCarriedOut(err error) bool {
	return errors.Is(err, simcloud.Unavailable) || errors.Is(err, simcloud.Timeout)
}

// ended puts the context's own error in front of what its end has caused.
func ended(ctx context.Context, r *request, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", r.endpoint.Operation, ctx.Err())
	}
	return err
}

// authenticated calls fn with the secret, and once more when the cloud
// refused it and the token file has another one by now.
func (c *Client) authenticated(fn func(secret string) error) error {
	secret, err := c.token.get()
	if err != nil {
		return err
	}
	err = fn(secret)
	if !errors.Is(err, simcloud.Unauthenticated) || !c.token.refused(secret) {
		return err
	}
	if secret, err = c.token.get(); err != nil {
		return err
	}
	return fn(secret)
}

// once is one attempt.
func (c *Client) once(ctx context.Context, r *request, secret string, accept func([]byte) error) error {
	ctx, cancel := c.limit(ctx, r)
	defer cancel()
	req, err := c.attempt(ctx, r, secret)
	if err != nil {
		return err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return transportError(r, err)
	}
	defer func() { _ = res.Body.Close() }()
	if !success(res) {
		return refusal(r, res)
	}
	body, err := readAnswer(r, res)
	if err != nil {
		return err
	}
	if err := accept(body); err != nil {
		return notOurs(r, res, body, err)
	}
	return nil
}

// limit gives an attempt its time-out.
func (c *Client) limit(ctx context.Context, r *request) (context.Context, context.CancelFunc) {
	if r.patient || r.endpoint.Operation == "WaitOperation" {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.timeout)
}

func success(res *http.Response) bool { return res.StatusCode >= 200 && res.StatusCode < 300 }

// transportError says that there was no answer. Timeout: the request may have been carried out.
func transportError(r *request, err error) error {
	var slow interface{ Timeout() bool }
	if errors.As(err, &slow) && slow.Timeout() {
		return simcloud.Errorf(simcloud.Timeout, "", "%s: the cloud did not answer in time: %w", r.endpoint.Operation, err)
	}
	return simcloud.Errorf(simcloud.Unavailable, "", "%s: %w", r.endpoint.Operation, err)
}

// maxRetryAfter keeps what a cloud asks for within what a time.Duration holds.
const maxRetryAfter = 24 * time.Hour
