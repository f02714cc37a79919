package core

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Whose resources a list shows.
const (
	ofProject = false
	ofAll     = true // the kind belongs to no project
)

// list is a read of one page. states are those that the kind has.
func list[T any, P store.Resource[T], S ~string](
	ctx context.Context, c *Cloud, b store.Bucket[T, P], opts simcloud.ListOptions, shared bool, states []S,
) (simcloud.Page[T], error) {
	size, err := checkList(b.Noun(), opts, states)
	if err != nil {
		return simcloud.Page[T]{}, err
	}
	query := store.Query{Name: opts.Name, State: opts.State, Limit: size}
	if query.RefersTo, err = parseRef(opts.RefersTo); err != nil {
		return simcloud.Page[T]{}, err
	}
	matches, rest, err := parseSelector(opts.Selector)
	if err != nil {
		return simcloud.Page[T]{}, err
	}
	query.Labels = matches
	if !shared {
		query.Project = simcloud.CallerFrom(ctx).Project
	}
	filter := hash(string(b.Kind()), string(query.Project), opts.Name, opts.Selector, opts.State, opts.RefersTo)
	if query.After, err = parsePageToken(opts.PageToken, filter); err != nil {
		return simcloud.Page[T]{}, err
	}
	r := c.lookingAt(ctx, staleLists)
	var page simcloud.Page[T]
	read := func(tx *store.Tx, _ simcloud.Caller) error {
		var last uint64
		var err error
		if opts.Page > 0 {
			page.Items, page.Total, page.Revision, err = numbered(tx, c, b, query, opts.Page, keep[T, P](rest), r)
			return err
		}
		page.Items, last, page.Revision, err = pageOf(tx, c, b, query, keep[T, P](rest), r)
		page.NextPage = pageToken(last, filter)
		if len(page.Items) <= maxListSeen {
			c.note(ctx, func(tx *store.Tx) seen { return seeList(tx, b, query, page.Items) })
		}
		return err
	}
	if err := c.view(ctx, read); err != nil {
		return simcloud.Page[T]{}, err
	}
	if again, err := polled[T, P](ctx, c, page.Items...); err != nil || !again {
		return page, err
	}
	return page, c.view(ctx, read)
}

// checkList judges the options and returns the page size.
func checkList[S ~string](noun string, opts simcloud.ListOptions, states []S) (int, error) {
	if opts.State != "" && !slices.Contains(states, S(opts.State)) {
		if len(states) == 0 {
			return 0, invalid("", "state", "a %s has no state to filter by", noun)
		}
		names := make([]string, len(states))
		for i, state := range states {
			names[i] = string(state)
		}
		return 0, invalid("", "state", "invalid value %q: must be one of %s", opts.State, strings.Join(names, ", "))
	}
	switch {
	case opts.Page < 0 || opts.Page > simcloud.MaxPage:
		return 0, invalid("", "page", "%d must be between 1 and %d", opts.Page, simcloud.MaxPage)
	case opts.Page > 0 && opts.PageToken != "":
		return 0, invalid("", "page", "cannot be set with pageToken")
	case opts.PageSize < 0 || opts.PageSize > simcloud.MaxPageSize:
		return 0, invalid("", "pageSize", "%d must be between 1 and %d", opts.PageSize, simcloud.MaxPageSize)
	case opts.PageSize == 0:
		return simcloud.DefaultPageSize, nil
	default:
		return opts.PageSize, nil
	}
}

// parseRef reads what a list refers to. That it exists is not asked: then nothing refers to it.
func parseRef(text string) (store.Ref, error) {
	if text == "" {
		return store.Ref{}, nil
	}
	kind, id, ok := strings.Cut(text, "/")
	if !ok || id == "" || !simcloud.Kind(kind).Known() {
		return store.Ref{}, invalid("", "refersTo", "%q is no resource: must be its kind and its id, such as instance/i-7", text)
	}
	return store.Ref{Kind: simcloud.Kind(kind), ID: simcloud.ID(id)}, nil
}

// refersToNothing answers Invalid where a list of resources that refer to no other is to have those that do.
func refersToNothing(noun string, opts simcloud.ListOptions) error {
	if opts.RefersTo == "" {
		return nil
	}
	return invalid("", "refersTo", "a %s refers to no resource", noun)
}

// A page token is the sequence of the last item seen, and a hash of what was
// asked for: it leads on in the same list only.

func pageToken(last, filter uint64) string {
	if last == 0 {
		return ""
	}
	raw := binary.BigEndian.AppendUint64(nil, last)
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(raw, filter))
}

func parsePageToken(token string, filter uint64) (uint64, error) {
	if token == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != 16 {
		return 0, invalid("", "pageToken", "%q is not the nextPage of a list", token)
	}
	if binary.BigEndian.Uint64(raw[8:]) != filter {
		return 0, invalid("", "pageToken", "it is from a list with another name, selector, state, refersTo or kind")
	}
	return binary.BigEndian.Uint64(raw), nil
}
