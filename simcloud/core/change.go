package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// insert adds a resource whose making takes no time. What follows from it
// comes before its operation is done.
func insert[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], v T, follow ...func(T) error) (simcloud.Result[T], error) {
	if err := b.Insert(t.tx, t.now, &v); err != nil {
		return simcloud.Result[T]{}, err
	}
	for _, fn := range follow {
		if err := fn(v); err != nil {
			return simcloud.Result[T]{}, err
		}
	}
	op, err := t.done(b.Kind(), P(&v).GetMeta().ID)
	return simcloud.Result[T]{Resource: v, Operation: op}, err
}

// replace updates a resource whose change takes no time, if it is a change.
func replace[T any, P store.Resource[T]](
	t *txn, b store.Bucket[T, P], before, after T, follow ...func(T) error,
) (simcloud.Result[T], error) {
	id := P(&after).GetMeta().ID
	if same(before, after) {
		op, err := t.unchanged(b.Kind(), id)
		return simcloud.Result[T]{Resource: before, Operation: op}, err
	}
	if err := b.Update(t.tx, t.now, &after); err != nil {
		return simcloud.Result[T]{}, err
	}
	for _, fn := range follow {
		if err := fn(after); err != nil {
			return simcloud.Result[T]{}, err
		}
	}
	op, err := t.done(b.Kind(), id)
	return simcloud.Result[T]{Resource: after, Operation: op}, err
}

// removeUnused deletes a resource that nothing refers to.
func removeUnused[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], id simcloud.ID) (simcloud.Operation, error) {
	if _, err := getForUpdate(t, b, id); err != nil {
		return simcloud.Operation{}, err
	}
	if err := t.unused(b.Kind(), id); err != nil {
		return simcloud.Operation{}, err
	}
	if err := b.Delete(t.tx, t.now, id); err != nil {
		return simcloud.Operation{}, err
	}
	return t.done(b.Kind(), id)
}
