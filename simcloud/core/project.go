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
func (c *Cloud) CreateProject(ctx context.Context, spec simcloud.ProjectSpec, opts ...simcloud.CallOption) (simcloud.Result[simcloud.Project], error) {
	call := call{verb: "CreateProject", admin: true, spec: spec, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (r projectResult, err error) {
		if r.Resource.Meta, err = share(w, store.Projects, spec.Name, spec.Labels); err != nil {
			return r, err
		}
		r.Resource.Project = r.Resource.ID
		return insert(w, store.Projects, r.Resource)
	})
}

// UpdateProject changes the labels.
func (c *Cloud) UpdateProject(
	ctx context.Context, id simcloud.ID, update simcloud.ProjectUpdate, opts ...simcloud.CallOption,
) (simcloud.Result[simcloud.Project], error) {
	call := call{verb: "UpdateProject", admin: true, ids: []simcloud.ID{id}, spec: update, opts: simcloud.Options(opts)}
	return mutate(ctx, c, call, func(w *work) (projectResult, error) {
		before, err := takeAny(w, store.Projects, id)
		if err != nil {
			return projectResult{}, err
		}
		after := before
		rename(&after.Meta, nil, update.Labels)
		return replace(w, store.Projects, before, after)
	})
}

// DeleteProject removes a project that has nothing, with what is left of it.
func (c *Cloud) DeleteProject(ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (simcloud.Operation, error) {
	call := call{verb: "DeleteProject", admin: true, ids: []simcloud.ID{id}, opts: simcloud.Options(opts)}
	return remove(ctx, c, call, func(w *work) (op simcloud.Operation, err error) {
		if _, err := takeAny(w, store.Projects, id); err != nil {
			return op, err
		}
		if err := w.deserted(id); err != nil {
			return op, err
		}
		for _, forget := range []func(simcloud.ID) error{w.dropTokens, w.dropQuotas, w.dropOperations, w.dropAnswers} {
			if err := forget(id); err != nil {
				return op, err
			}
		}
		if err := store.Projects.Delete(w.tx, w.now, id); err != nil {
			return op, err
		}
		if err := w.tx.RedactEvents(id); err != nil {
			return op, err
		}
		w.tx.OnCommit(func() { w.history.redact(id) })
		return w.done(simcloud.KindProject, id)
	})
}

// deserted reports why a project cannot go.
func (w *work) deserted(id simcloud.ID) error {
	ref := simcloud.Ref(simcloud.KindProject, id)
	switch id {
	case simcloud.DefaultProject:
		return simcloud.Errorf(simcloud.Conflict, ref, "each cloud has this project")
	case w.caller.Project:
		return simcloud.Errorf(simcloud.InUse, ref, "the caller acts for it")
	}
	for _, kind := range resourceKinds() {
		if kind.Kind() != simcloud.KindProject && kind.Kind() != simcloud.KindToken && kind.Owned(w.tx, id) {
			return simcloud.Errorf(simcloud.InUse, ref, "it has %ss", kind.Noun())
		}
	}
	tokens, err := store.Tokens.Of(w.tx, id)
	for _, token := range tokens {
		if active(token, w.now) {
			return simcloud.Errorf(simcloud.InUse, ref, "%s acts for it: revoke it first", token.ID)
		}
	}
	return err
}

// ensureProject makes the project of a caller in this process when its first
// resource is made. A token has its project already; where that is gone, so is the token.
func (w *work) ensureProject() error {
	id := w.caller.Project
	switch {
	case store.Projects.Has(w.tx, id):
		return nil
	case id == "" || w.caller.Token != "":
		return simcloud.Errorf(simcloud.Forbidden, "", "the caller has no project")
	}
	return w.makeProject(id)
}

// makeProject makes a project that has nothing but its name.
func (w *work) makeProject(id simcloud.ID) error {
	return store.Projects.Insert(w.tx, w.now, &simcloud.Project{Meta: simcloud.Meta{ID: id, Name: string(id), Project: id}})
}

// redactGone redacts the events of those projects that are no longer there.
func (w *work) redactGone(projects []simcloud.Project) error {
	for _, project := range projects {
		if store.Projects.Has(w.tx, project.ID) {
			continue
		}
		if err := w.tx.RedactEvents(project.ID); err != nil {
			return err
		}
	}
	return nil
}

// dropOperations forgets the operations of a project: nobody could see them
// but a later project of the same name.
func (w *work) dropOperations(project simcloud.ID) error {
	ops, err := store.Operations.Of(w.tx, project)
	for i := 0; i < len(ops) && err == nil; i++ {
		err = store.Operations.DeleteQuietly(w.tx, ops[i].ID)
	}
	if err != nil {
		return err
	}
	return dropUnder(w.tx, store.Finished, project)
}

// dropAnswers forgets the answers to calls of a project, for the same reason.
func (w *work) dropAnswers(project simcloud.ID) error {
	if err := dropUnder(w.tx, store.Answers, project); err != nil {
		return err
	}
	return dropUnder(w.tx, store.AnswerOrder, project)
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
