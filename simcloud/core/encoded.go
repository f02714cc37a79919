package core

import (
	"context"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// encodedKinds are the kinds whose resources are answered as they are stored.
// The others are not: the state of a token and the use of a quota are those of
// the moment, and an admin gets any project.
var encodedKinds = byName(append(slices.Clone(kinds), operationKind))

func byName(all []resourceKind) map[simcloud.Kind]bucket {
	named := map[simcloud.Kind]bucket{}
	for _, kind := range all {
		named[kind.Kind()] = kind.bucket
	}
	return named
}

// Referring returns the ids of the resources of a kind that a list of those that refer
// to one would show, without reading them. It reports false when only that list can answer.
func (c *Cloud) Referring(ctx context.Context, kind simcloud.Kind, to string) (ids []simcloud.ID, ok bool, err error) {
	b, ok := encodedKinds[kind]
	if !ok || c.polls.any.Load() || c.lookingAt(ctx, staleLists) != (reading{}) {
		return nil, false, nil
	}
	ref, err := parseRef(to)
	if err != nil {
		return nil, true, err
	}
	err = c.view(ctx, func(tx *store.Tx, caller simcloud.Caller) error {
		query := store.Query{Project: caller.Project, RefersTo: ref}
		ids = b.IDs(tx, query)
		c.note(ctx, func(*store.Tx) seen { return idsSeen{b, query, ids} })
		return nil
	})
	return ids, true, err
}

// GetEncoded answers like the Get of a kind, with the JSON of the resource. It
// reports false when only that Get can answer: the JSON that is stored is not
// what the caller is to see, or his read changes something.
func (c *Cloud) GetEncoded(ctx context.Context, kind simcloud.Kind, id simcloud.ID) (r simcloud.EncodedResource, ok bool, err error) {
	b, ok := encodedKinds[kind]
	if !ok || c.polls.any.Load() || c.lookingAt(ctx, staleGets) != (reading{}) {
		return r, false, nil
	}
	err = c.view(ctx, func(tx *store.Tx, caller simcloud.Caller) error {
		if r, err = b.GetEncoded(tx, id); err == nil && !visible(&r.Meta, caller.Project) {
			return b.NotFound(id)
		}
		return err
	})
	if c.polls.any.Load() { // the read may count, as some operation has begun to wait for reads meanwhile
		return simcloud.EncodedResource{}, false, nil
	}
	if err != nil {
		return simcloud.EncodedResource{}, true, err
	}
	return r, true, nil
}
