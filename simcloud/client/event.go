package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// WatchEvents yields every event after a revision and then those to come. A
// stream that is cut ends in Unavailable: resume after the last event seen.
func (c *Client) WatchEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return c.watchEvents(ctx, "WatchEvents", after)
}

// WatchAllEvents is WatchEvents of all projects, for admins.
func (c *Client) WatchAllEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.Event, error] {
	return c.watchEvents(ctx, "WatchAllEvents", after)
}

func (c *Client) watchEvents(ctx context.Context, operation string, after uint64) iter.Seq2[simcloud.Event, error] {
	query := url.Values{"after": {strconv.FormatUint(after, 10)}}
	return stream[simcloud.Event](ctx, c, operation, query)
}
