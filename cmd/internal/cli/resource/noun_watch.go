package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// watched is a change as -o json and -o yaml print it.
type watched[T any] struct {
	Type   simcloud.EventType `json:"type"`
	Object T                  `json:"object"`
}

// watch prints what there is and then the changes, until ctx is done. It
// follows from the revision of the first page, so it misses nothing.
func (n *noun[T, P]) watch(ctx context.Context, c *client.Client, out io.Writer, f listFlags) error {
	opts := f.opts
	first, err := n.list(c, ctx, opts)
	if err != nil {
		return err
	}
	items := first.Items
	for page := first; page.NextPage != ""; {
		opts.PageToken = page.NextPage
		if page, err = n.list(c, ctx, opts); err != nil {
			return err
		}
		items = append(items, page.Items...)
	}
	for _, item := range n.inZone(items, f.zone) {
		if err := n.change(out, watched[T]{simcloud.Created, item}); err != nil {
			return err
		}
	}
	return n.follow(ctx, c, out, f, first.Revision)
}

// follow prints the changes after a revision that are about what the flags choose.
func (n *noun[T, P]) follow(ctx context.Context, c *client.Client, out io.Writer, f listFlags, after uint64) error {
	selector, err := labels.Parse(f.opts.Selector)
	if err != nil { // the cloud has accepted it
		return err
	}
	for event, err := range c.WatchEvents(ctx, after) {
		if err != nil {
			return err
		}
		if event.Kind != n.kind {
			continue
		}
		change := watched[T]{Type: event.Type}
		if err := json.Unmarshal(event.Object, &change.Object); err != nil {
			return fmt.Errorf("the event %d about %s: %w", event.Revision, simcloud.Ref(event.Kind, event.ID), err)
		}
		meta := P(&change.Object).GetMeta()
		if f.opts.Name != "" && meta.Name != f.opts.Name || f.opts.State != "" && output.EventState(event) != f.opts.State ||
			f.zone != "" && n.zone(change.Object) != f.zone || !selector.Matches(labels.Set(meta.Labels)) {
			continue
		}
		if err := n.change(out, change); err != nil {
			return err
		}
	}
	return nil
}

// change prints one change: what has happened, and the resource as it is now. A template is about the resource.
func (n *noun[T, P]) change(out io.Writer, change watched[T]) error {
	if n.Out.HasTemplate() {
		return n.table.Line(out, n.Out, change.Object)
	}
	columns := output.Table[watched[T]]{}
	for _, own := range n.table {
		columns = append(columns, watchedColumn(own))
	}
	if n.Out != output.FormatName {
		what := output.Col("TYPE", func(w watched[T]) string { return string(w.Type) })
		columns = append(output.Table[watched[T]]{what}, columns...)
	}
	return columns.Line(out, n.Out, change)
}

// watchedColumn is a column of a resource in a line about its change.
func watchedColumn[T any](own output.Column[T]) output.Column[watched[T]] {
	column := output.Column[watched[T]]{Name: own.Name, Wide: own.Wide, Value: func(w watched[T]) string { return own.Value(w.Object) }}
	if own.Since != nil {
		column.Since = func(w watched[T]) time.Time { return own.Since(w.Object) }
	}
	return column
}
