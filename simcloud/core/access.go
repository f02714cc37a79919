package core

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// find returns a resource that the project may see; NotFound also for those of other projects.
func find[T any, P store.Resource[T]](tx *store.Tx, b store.Bucket[T, P], project, id simcloud.ID) (T, error) {
	v, err := b.Get(tx, id)
	if err != nil {
		return v, err
	}
	if !visible(P(&v).GetMeta(), project) {
		var none T
		return none, b.NotFound(id)
	}
	return v, nil
}

// visible reports whether a project may see a resource: its own, or one that all share.
func visible(meta *simcloud.Meta, project simcloud.ID) bool {
	return meta.Project == "" || meta.Project == project
}

// getForUpdate returns a resource for a mutation: it has the version that the caller
// asks for, and no operation runs on it.
func getForUpdate[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], id simcloud.ID) (T, error) {
	v, err := find(t.tx, b, t.caller.Project, id)
	if err == nil && t.owns(P(&v).GetMeta()) {
		if err := t.hasten(P(&v).GetMeta().Operation); err != nil {
			return v, err
		}
		v, err = find(t.tx, b, t.caller.Project, id)
	}
	if err != nil {
		return v, err
	}
	return v, t.free(simcloud.Ref(b.Kind(), id), P(&v).GetMeta())
}

// getForUpdateAnyProject is getForUpdate for an admin's mutation of what any project has.
func getForUpdateAnyProject[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], id simcloud.ID) (T, error) {
	v, err := b.Get(t.tx, id)
	if err != nil {
		return v, err
	}
	return v, t.free(simcloud.Ref(b.Kind(), id), P(&v).GetMeta())
}

// free reports why a resource is not ready for the mutation.
func (t *txn) free(ref string, meta *simcloud.Meta) error {
	if err := t.expects(ref, meta); err != nil {
		return err
	}
	return t.idle(ref, meta)
}

// expects answers Conflict unless the resource has the version that the caller asks for.
func (t *txn) expects(ref string, meta *simcloud.Meta) error {
	if want := t.req.opts.IfVersion; want != 0 && want != meta.Version {
		return simcloud.Errorf(simcloud.Conflict, ref, "it has version %d, not %d", meta.Version, want)
	}
	return nil
}

// getForDeletion is getForUpdate of what is to be deleted: it answers Protected for what must stay.
func getForDeletion[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], id simcloud.ID) (T, error) {
	v, err := getForUpdate(t, b, id)
	if err == nil && P(&v).GetMeta().Protected {
		err = simcloud.Errorf(simcloud.Protected, simcloud.Ref(b.Kind(), id), "it is protected from deletion: take the protection off first")
	}
	return v, err
}

// idle answers Locked while an operation runs on the resource.
func (t *txn) idle(ref string, meta *simcloud.Meta) error {
	if meta.Operation != "" {
		return t.locked(ref, meta.Operation)
	}
	return nil
}

// locked is the error for a resource on which an operation runs.
func (t *txn) locked(ref string, id simcloud.ID) error {
	op, err := store.Operations.Get(t.tx, id)
	if err != nil {
		return err
	}
	wait, running := t.cloud.clock.until(op.ReadyAt)
	if !running || wait <= 0 {
		wait = time.Second
	}
	return &simcloud.Error{
		Code: simcloud.Locked, Resource: ref, RetryAfter: wait,
		Message: "operation " + string(id) + " (" + op.Verb + ") is running",
	}
}

// newMeta gives a new resource an id and a project, and checks that the call fits a creation.
func newMeta[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], name string, labels map[string]string) (simcloud.Meta, error) {
	if t.req.opts.IfVersion != 0 {
		return simcloud.Meta{}, simcloud.Errorf(simcloud.Conflict, string(b.Kind()), "a %s that is not there yet has no version", b.Noun())
	}
	if err := t.ensureProject(); err != nil {
		return simcloud.Meta{}, err
	}
	if err := nameFree(t, b, t.caller.Project, name); err != nil {
		return simcloud.Meta{}, err
	}
	id, err := b.NewID(t.tx)
	return simcloud.Meta{ID: id, Name: name, Project: t.caller.Project, Labels: copyLabels(labels)}, err
}

// newSharedMeta is newMeta for what all projects share, whose name is its id.
func newSharedMeta[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], name string, labels map[string]string) (simcloud.Meta, error) {
	if t.req.opts.IfVersion != 0 {
		return simcloud.Meta{}, simcloud.Errorf(simcloud.Conflict, string(b.Kind()), "a %s that is not there yet has no version", b.Noun())
	}
	return simcloud.Meta{ID: simcloud.ID(name), Name: name, Labels: copyLabels(labels)}, nil
}

// nameFree answers AlreadyExists when names of the kind are unique and a resource of the project has this one.
func nameFree[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], project simcloud.ID, name string) error {
	if !slices.Contains(t.cloud.config.Load().UniqueNames, b.Kind()) {
		return nil
	}
	if id, taken := b.Named(t.tx, project, name); taken {
		return simcloud.Errorf(simcloud.AlreadyExists, string(b.Kind()), "the name %q is taken by %s, and names of %ss are unique", name, id, b.Noun())
	}
	return nil
}

// copyLabels returns labels as they come out of the store: never empty but nil.
func copyLabels(labels map[string]string) map[string]string {
	if len(labels) == 0 {
		return nil
	}
	return maps.Clone(labels)
}

// rename applies what all updates of resources with a name can change.
func rename[T any, P store.Resource[T]](t *txn, b store.Bucket[T, P], meta *simcloud.Meta, name *string, labels *map[string]string) error {
	if name != nil && *name != meta.Name {
		if err := nameFree(t, b, meta.Project, *name); err != nil {
			return err
		}
		meta.Name = *name
	}
	setLabels(meta, labels)
	return nil
}

// protect puts the protection from deletion on or takes it off.
func protect(meta *simcloud.Meta, protected *bool) {
	if protected != nil {
		meta.Protected = *protected
	}
}

// setLabels applies what all updates can change.
func setLabels(meta *simcloud.Meta, labels *map[string]string) {
	if labels != nil {
		meta.Labels = copyLabels(*labels)
	}
}

// same reports whether two values are the same on the wire.
func same[T any](a, b T) bool {
	rawA, errA := json.Marshal(a)
	rawB, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(rawA) == string(rawB)
}

// exists reports whether a resource is there.
func (t *txn) exists(ref store.Ref) bool {
	if ref.Kind == simcloud.KindQuota {
		_, err := findQuota(t.tx, t.caller, ref.ID)
		return err == nil
	}
	for _, kind := range resourceKinds() {
		if kind.Kind() == ref.Kind {
			return kind.Has(t.tx, ref.ID)
		}
	}
	return false
}

// unused answers InUse when any of the kinds refers to the resource.
func (t *txn) unused(kind simcloud.Kind, id simcloud.ID) error {
	ref := store.Ref{Kind: kind, ID: id}
	for _, by := range resourceKinds() {
		if by.Referred(t.tx, ref) {
			return simcloud.Errorf(simcloud.InUse, simcloud.Ref(kind, id), "there are %ss that refer to it", by.Noun())
		}
	}
	return nil
}
