package core_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestTwoProjects: two projects that make, change, list and watch the same
// names under the same keys at once each see what is their own.
func TestTwoProjects(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	var clients sync.WaitGroup
	for _, project := range []string{"ours", "theirs"} {
		must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: project}))
		token := must[tokenResult](t)(cloud.CreateToken(t.Context(),
			simcloud.TokenSpec{Name: "t", Project: simcloud.ID(project), Role: simcloud.RoleWriter})).Resource
		caller := must[simcloud.Caller](t)(cloud.Authenticate(t.Context(), token.Secret))
		ctx := simcloud.WithCaller(t.Context(), caller)
		must[simcloud.Result[simcloud.Network]](t)(cloud.CreateNetwork(ctx, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16"}}))
		watching, stop := context.WithCancel(ctx)
		watched := sync.WaitGroup{}
		watched.Go(func() { onlyOwnEvents(watching, t, cloud) })
		for client := range 4 {
			clients.Go(func() { hammer(ctx, t, cloud, client) })
		}
		defer watched.Wait()
		defer stop()
	}
	clients.Wait()
	if err := cloud.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func onlyOwnEvents(ctx context.Context, t *testing.T, cloud *core.Cloud) {
	project := simcloud.CallerFrom(ctx).Project
	for event, err := range cloud.WatchEvents(ctx, 0) {
		if err != nil {
			t.Errorf("%s watches: %v", project, err)
			return
		}
		if event.Project != "" && event.Project != project || event.Kind == simcloud.KindToken {
			t.Errorf("%s learns of %s of %s", project, simcloud.Ref(event.Kind, event.ID), event.Project)
		}
	}
}

// hammer makes instances and tries the ids around them, of which half are the other project's.
func hammer(ctx context.Context, t *testing.T, cloud *core.Cloud, client int) {
	project := simcloud.CallerFrom(ctx).Project
	for n := range 25 {
		name := fmt.Sprintf("%d-%d", client, n)
		made, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: name}, simcloud.IdempotencyKey(name))
		if err != nil || made.Resource.Project != project {
			t.Errorf("%s got %+v, %v", project, made.Resource, err)
			return
		}
		if again, err := cloud.CreateInstance(ctx, simcloud.InstanceSpec{Name: name}, simcloud.IdempotencyKey(name)); err != nil || again.Resource.ID != made.Resource.ID {
			t.Errorf("%s got %s for the key of %s, %v", project, again.Resource.ID, made.Resource.ID, err)
		}
		for i := range 2 * n {
			id := simcloud.ID(fmt.Sprintf("i-%d", i))
			if found, err := cloud.GetInstance(ctx, id); err == nil && found.Project != project {
				t.Errorf("%s reads %s of %s", project, id, found.Project)
			}
			changed, err := cloud.UpdateInstance(ctx, id, simcloud.InstanceUpdate{Labels: &map[string]string{"of": string(project)}})
			if code := simcloud.CodeOf(err); code != "" && code != simcloud.NotFound || err == nil && changed.Resource.Project != project {
				t.Errorf("%s changes %s: %+v, %v", project, id, changed.Resource, err)
			}
		}
		all, err := simcloud.ListAll(ctx, cloud.ListInstances, simcloud.ListOptions{PageSize: 7})
		if err != nil {
			t.Error(err)
		}
		for _, found := range all {
			if of, ok := found.Labels["of"]; found.Project != project || ok && of != string(project) {
				t.Errorf("%s lists %s of %s, labelled by %s", project, found.ID, found.Project, of)
			}
		}
	}
}
