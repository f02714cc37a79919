package client

import (
	"context"
	"errors"
	"net/url"

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

// GetConfig reads how the cloud behaves.
func (c *Client) GetConfig(ctx context.Context) (simcloud.Config, error) {
	return call(ctx, c, "GetConfig", nil, nil, nil, checkConfig)
}

// UpdateConfig changes how the cloud behaves.
func (c *Client) UpdateConfig(ctx context.Context, update simcloud.ConfigUpdate) (simcloud.Config, error) {
	return call(ctx, c, "UpdateConfig", update, nil, nil, checkConfig)
}

func checkConfig(config *simcloud.Config) error {
	if config.IdempotencyTTL == 0 {
		return errors.New("a configuration without idempotencyTTL")
	}
	return nil
}

// Seed makes the cloud what the topology says.
func (c *Client) Seed(ctx context.Context, topology simcloud.Topology) (simcloud.SeedReport, error) {
	return call(ctx, c, "Seed", topology, nil, nil, checkReport)
}

// PlanSeed returns what Seed would change.
func (c *Client) PlanSeed(ctx context.Context, topology simcloud.Topology) (simcloud.SeedReport, error) {
	return call(ctx, c, "PlanSeed", topology, nil, nil, checkReport)
}

// PlanReset returns what Reset would change.
func (c *Client) PlanReset(ctx context.Context) (simcloud.SeedReport, error) {
	return call(ctx, c, "PlanReset", nil, nil, nil, checkReport)
}

func checkReport(report *simcloud.SeedReport) error {
	if report.Created == nil || report.Updated == nil || report.Deleted == nil {
		return errors.New("a report that does not say what was created, updated and deleted")
	}
	return nil
}

// ListSnapshots returns all snapshots, oldest first.
func (c *Client) ListSnapshots(ctx context.Context) ([]simcloud.Snapshot, error) {
	page, err := call(ctx, c, "ListSnapshots", nil, nil, nil, func(page *simcloud.Page[simcloud.Snapshot]) error {
		if page.Items == nil {
			return errors.New("a list without items")
		}
		return nil
	})
	return page.Items, err
}

// SaveSnapshot keeps the cloud as it is.
func (c *Client) SaveSnapshot(ctx context.Context, spec simcloud.SnapshotSpec) (simcloud.Snapshot, error) {
	return call(ctx, c, "SaveSnapshot", spec, nil, nil, checkSnapshot)
}

// LoadSnapshot brings the cloud back to what it was.
func (c *Client) LoadSnapshot(ctx context.Context, name simcloud.ID) (simcloud.Snapshot, error) {
	return call(ctx, c, "LoadSnapshot", nil, nil, []simcloud.ID{name}, checkSnapshot)
}

func checkSnapshot(snapshot *simcloud.Snapshot) error {
	if snapshot.Name == "" {
		return errors.New("a snapshot without a name")
	}
	return nil
}

// DiffSnapshot says what has changed since a snapshot.
func (c *Client) DiffSnapshot(ctx context.Context, name simcloud.ID, against string) (simcloud.SnapshotDiff, error) {
	req, err := newRequest("DiffSnapshot", []simcloud.ID{name})
	if err != nil {
		return simcloud.SnapshotDiff{}, err
	}
	if against != "" {
		req.query = url.Values{"against": {against}}
	}
	return perform(ctx, c, req, func(diff *simcloud.SnapshotDiff) error {
		if diff.Changes == nil {
			return errors.New("a difference without changes")
		}
		return nil
	})
}

// DeleteSnapshot forgets a snapshot.
func (c *Client) DeleteSnapshot(ctx context.Context, name simcloud.ID) error {
	_, err := call(ctx, c, "DeleteSnapshot", nil, nil, []simcloud.ID{name}, checkDone)
	return err
}

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

// ReportGroupTargetHealth is the word of the data plane on a target of a group.
func (c *Client) ReportGroupTargetHealth(ctx context.Context, group, instance simcloud.ID, port int, health simcloud.TargetHealth) error {
	body := struct {
		Port   int                   `json:"port"`
		Health simcloud.TargetHealth `json:"health"`
	}{port, health}
	_, err := call(ctx, c, "ReportGroupTargetHealth", body, nil, []simcloud.ID{group, instance}, checkDone)
	return err
}
