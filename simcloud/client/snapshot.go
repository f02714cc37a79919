package client

import (
	"context"
	"errors"
	"net/url"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
