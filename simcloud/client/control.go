package client

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// GetState returns everything that the cloud holds.
func (c *Client) GetState(ctx context.Context) (simcloud.State, error) {
	return call(ctx, c, "GetState", nil, nil, nil, func(state *simcloud.State) error {
		if state.Time.IsZero() || state.Instances == nil {
			return errors.New("a state without a time or instances")
		}
		return nil
	})
}

// Reset puts the cloud back to how it was first made.
func (c *Client) Reset(ctx context.Context) error {
	_, err := call(ctx, c, "Reset", nil, nil, nil, checkDone)
	return err
}

// done answers an operation that has nothing else to say.
type done struct {
	Done bool `json:"done"`
}

func checkDone(d *done) error {
	if !d.Done {
		return errors.New("it does not say that it is done")
	}
	return nil
}

// GetClock reads the cloud's clock.
func (c *Client) GetClock(ctx context.Context) (simcloud.ClockStatus, error) {
	return call(ctx, c, "GetClock", nil, nil, nil, checkClock)
}

// SetClock changes the clock's mode.
func (c *Client) SetClock(ctx context.Context, spec simcloud.ClockSpec) (simcloud.ClockStatus, error) {
	return call(ctx, c, "SetClock", spec, nil, nil, checkClock)
}

func checkClock(status *simcloud.ClockStatus) error {
	if status.Mode == "" || status.Now.IsZero() {
		return errors.New("a clock without a mode or a time")
	}
	return nil
}

// AdvanceClock moves a manual clock.
func (c *Client) AdvanceClock(ctx context.Context, by simcloud.Duration) (simcloud.ClockAdvance, error) {
	body := struct {
		By simcloud.Duration `json:"by"`
	}{by}
	return call(ctx, c, "AdvanceClock", body, nil, nil, func(advance *simcloud.ClockAdvance) error {
		if advance.Now.IsZero() {
			return errors.New("an advance without a time")
		}
		return nil
	})
}
