package core

import (
	"context"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

type projectResult = simcloud.Result[simcloud.Project]

// ListProjects lists the caller's project; all projects for an admin.
func (c *Cloud) ListProjects(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Project], error) {
	whose := ofProject
	if simcloud.CallerFrom(ctx).Role == simcloud.RoleAdmin {
		whose = ofAll
	}
	return list(ctx, c, store.Projects, opts, whose, noStates)
}

// GetProject returns one project.
func (c *Cloud) GetProject(ctx context.Context, id simcloud.ID) (simcloud.Project, error) {
	if caller := simcloud.CallerFrom(ctx); caller.Role == simcloud.RoleAdmin {
		caller.Project = id
		ctx = simcloud.WithCaller(ctx, caller)
	}
	return get(ctx, c, store.Projects, id)
}

// CreateProject makes a project.
func (m mutations) CreateProject(ctx context.Context, spec simcloud.ProjectSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Project], error) {
	req := request{verb: "CreateProject", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (r projectResult, err error) {
		if r.Resource.Meta, err = newSharedMeta(t, store.Projects, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		r.Resource.Project = r.Resource.ID
		return insert(t, store.Projects, r.Resource)
	})
}

// UpdateProject changes the labels.
func (m mutations) UpdateProject(
	ctx context.Context, id simcloud.ID, update simcloud.ProjectUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Project], error) {
	req := request{verb: "UpdateProject", admin: true, ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, m, req, func(t *txn) (projectResult, error) {
		before, err := getForUpdateAnyProject(t, store.Projects, id)
		if err != nil {
			return projectResult{}, err
		}
		after := before
		setLabels(&after.Meta, update.Labels)
		return replace(t, store.Projects, before, after)
	})
}

// DeleteProject removes a project that has nothing, with what is left of it.
func (m mutations) DeleteProject(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	req := request{verb: "DeleteProject", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, m, req, func(t *txn) (op simcloud.Operation, err error) {
		if _, err := getForUpdateAnyProject(t, store.Projects, id); err != nil {
			return op, err
		}
		if err := t.deserted(id); err != nil {
			return op, err
		}
		for _, forget := range []func(simcloud.ID) error{t.dropTokens, t.dropQuotas, t.dropOperations, t.dropAnswers} {
			if err := forget(id); err != nil {
				return op, err
			}
		}
		if err := store.Projects.Delete(t.tx, t.now, id); err != nil {
			return op, err
		}
		if err := t.tx.RedactEvents(id); err != nil {
			return op, err
		}
		t.tx.OnCommit(func() { t.cloud.history.redact(id) })
		return t.done(simcloud.KindProject, id)
	})
}

// deserted reports why a project cannot go.
func (t *txn) deserted(id simcloud.ID) error {
	ref := simcloud.Ref(simcloud.KindProject, id)
	switch id {
	case simcloud.DefaultProject:
		return simcloud.Errorf(simcloud.Conflict, ref, "each cloud has this project")
	case t.caller.Project:
		return simcloud.Errorf(simcloud.InUse, ref, "the caller acts for it")
	}
	for _, kind := range resourceKinds() {
		if kind.Kind() != simcloud.KindProject && kind.Kind() != simcloud.KindToken && kind.Owned(t.tx, id) {
			return simcloud.Errorf(simcloud.InUse, ref, "it has %ss", kind.Noun())
		}
	}
	tokens, err := store.Tokens.Of(t.tx, id)
	for _, token := range tokens {
		if active(token, t.now) {
			return simcloud.Errorf(simcloud.InUse, ref, "%s acts for it: revoke it first", token.ID)
		}
	}
	return err
}

// ensureProject makes the project of a caller in this process when its first
// resource is made. A token has its project already; where that is gone, so is the token.
func (t *txn) ensureProject() error {
	id := t.caller.Project
	switch {
	case store.Projects.Has(t.tx, id):
		return nil
	case id == "" || t.caller.Token != "":
		return simcloud.Errorf(simcloud.Forbidden, "", "the caller has no project")
	}
	return t.makeProject(id)
}

// makeProject makes a project that has nothing but its name.
func (t *txn) makeProject(id simcloud.ID) error {
	return store.Projects.Insert(t.tx, t.now, &simcloud.Project{Meta: simcloud.Meta{ID: id, Name: string(id), Project: id}})
}

// redactGone redacts the events of those projects that are no longer there.
func (t *txn) redactGone(projects []simcloud.Project) error {
	for _, project := range projects {
		if store.Projects.Has(t.tx, project.ID) {
			continue
		}
		if err := t.tx.RedactEvents(project.ID); err != nil {
			return err
		}
	}
	return nil
}

// dropOperations forgets the operations of a project: only a later project of
// the same name could see them.
func (t *txn) dropOperations(project simcloud.ID) error {
	ops, err := store.Operations.Of(t.tx, project)
	for i := 0; i < len(ops) && err == nil; i++ {
		err = store.Operations.DeleteQuietly(t.tx, ops[i].ID)
	}
	if err != nil {
		return err
	}
	return dropUnder(t.tx, store.Finished, project)
}

// dropAnswers forgets the answers to calls of a project, for the same reason.
func (t *txn) dropAnswers(project simcloud.ID) error {
	if err := dropUnder(t.tx, store.Answers, project); err != nil {
		return err
	}
	return dropUnder(t.tx, store.AnswerOrder, project)
}

// dropUnder empties the part of a table that is a project's.
func dropUnder[T any](tx *store.Tx, table store.Table[T], project simcloud.ID) (err error) {
	var keys []string
	for key := range table.Under(tx, store.Key(string(project)), &err) {
		keys = append(keys, key)
	}
	for i := 0; i < len(keys) && err == nil; i++ {
		err = table.Delete(tx, keys[i])
	}
	return err
}
