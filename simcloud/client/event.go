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
	query := url.Values{"after": {strconv.FormatUint(after, 10)}}
	return stream[simcloud.Event](ctx, c, "WatchEvents", query)
}
