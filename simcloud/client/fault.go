package client

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

var _ fault.API = (*Client)(nil)

// ListFaults returns all fault rules, oldest first.
func (c *Client) ListFaults(ctx context.Context) ([]fault.Rule, error) {
	page, err := call(ctx, c, "ListFaults", nil, nil, nil, func(page *simcloud.Page[fault.Rule]) error {
		if page.Items == nil {
			return errors.New("a list without items")
		}
		return nil
	})
	return page.Items, err
}

// GetFault returns the fault rule of that id or name.
func (c *Client) GetFault(ctx context.Context, id simcloud.ID) (fault.Rule, error) {
	return call(ctx, c, "GetFault", nil, nil, []simcloud.ID{id}, checkFault)
}

// AddFault adds a fault rule.
func (c *Client) AddFault(ctx context.Context, rule fault.Rule) (fault.Rule, error) {
	return call(ctx, c, "AddFault", rule, nil, nil, checkFault)
}

func checkFault(rule *fault.Rule) error {
	if rule.ID == "" {
		return errors.New("a fault rule without an id")
	}
	return nil
}

// DeleteFault ends a fault rule, named by its id or name.
func (c *Client) DeleteFault(ctx context.Context, id simcloud.ID) error {
	_, err := call(ctx, c, "DeleteFault", nil, nil, []simcloud.ID{id}, checkDone)
	return err
}

// ClearFaults ends all fault rules.
func (c *Client) ClearFaults(ctx context.Context) error {
	_, err := call(ctx, c, "ClearFaults", nil, nil, nil, checkDone)
	return err
}
