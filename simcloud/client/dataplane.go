package client

import (
	"context"
	"errors"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// GetDataPlane reads what the data plane does.
func (c *Client) GetDataPlane(ctx context.Context) (simcloud.DataPlane, error) {
	return call(ctx, c, "GetDataPlane", nil, nil, nil, func(plane *simcloud.DataPlane) error {
		if plane.Listeners == nil {
			return errors.New("a data plane without a list of listeners")
		}
		return nil
	})
}

// ReportTargetHealth is the word of the data plane on a target.
func (c *Client) ReportTargetHealth(ctx context.Context, lb, instance simcloud.ID, health simcloud.TargetHealth) error {
	body := struct {
		Health simcloud.TargetHealth `json:"health"`
	}{health}
	_, err := call(ctx, c, "ReportTargetHealth", body, nil, []simcloud.ID{lb, instance}, checkDone)
	return err
}
