package core_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// TestDeleteProject: a project goes when it has nothing, and a later one of
// its name gets nothing of it.
func TestDeleteProject(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	admin := t.Context()
	theirs := simcloud.WithCaller(admin, simcloud.Caller{Project: "p", Role: simcloud.RoleWriter})
	spec := simcloud.ProjectSpec{Name: "p"}
	must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(admin, spec))
	key, named := simcloud.IdempotencyKey("key"), simcloud.FloatingIPSpec{Name: "f"}
	fip := must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, named)).Resource.ID
	_, err := cloud.DeleteProject(admin, "p")
	wantCode(t, "with a floating IP", err, simcloud.InUse)
	must[simcloud.Operation](t)(cloud.DeleteFloatingIP(theirs, fip, key))
	must[simcloud.Result[simcloud.Quota]](t)(cloud.SetQuota(admin, "p.floating_ip", simcloud.QuotaSpec{Limit: 0}))
	_, err = cloud.DeleteProject(simcloud.WithCaller(admin, simcloud.Caller{Project: "p", Role: simcloud.RoleAdmin}), "p")
	wantCode(t, "by one who acts for it", err, simcloud.InUse)
	must[simcloud.Operation](t)(cloud.DeleteProject(admin, "p"))

	gone := simcloud.WithCaller(admin, simcloud.Caller{Token: "tok-1", Project: "p", Role: simcloud.RoleWriter})
	_, err = cloud.CreateFloatingIP(gone, named)
	wantCode(t, "by a token that went with it", err, simcloud.Forbidden)

	must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(admin, spec))
	if ops := must[simcloud.Page[simcloud.Operation]](t)(cloud.ListOperations(theirs, simcloud.ListOptions{})).Items; len(ops) > 0 {
		t.Errorf("the new project has the operations of the old one: %v", ops)
	}
	must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, named, key))
	if err := cloud.Check(admin); err != nil {
		t.Error(err)
	}
}

// TestEventsOfGoneProjects: whatever ends a project, a later one of its name
// reads none of its events; admins still see each revision.
func TestEventsOfGoneProjects(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(ctx context.Context, cloud *core.Cloud) error{
		"DeleteProject": func(ctx context.Context, cloud *core.Cloud) error {
			theirs := simcloud.WithCaller(ctx, simcloud.Caller{Project: "p", Role: simcloud.RoleWriter})
			if _, err := cloud.DeleteFloatingIP(theirs, "fip-1"); err != nil {
				return err
			}
			_, err := cloud.DeleteProject(ctx, "p")
			return err
		},
		"LoadSnapshot": func(ctx context.Context, cloud *core.Cloud) error {
			_, err := cloud.LoadSnapshot(ctx, "before")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := open(t, core.Config{})
			admin := simcloud.WithRequestID(t.Context(), "secret-request")
			must[simcloud.Snapshot](t)(cloud.SaveSnapshot(admin, simcloud.SnapshotSpec{Name: "before"}))
			theirs := simcloud.WithCaller(admin, simcloud.Caller{Project: "p", Role: simcloud.RoleWriter})
			labels := map[string]string{"secret": "label"}
			must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(admin, simcloud.ProjectSpec{Name: "p", Labels: labels}))
			must[simcloud.Result[simcloud.Quota]](t)(cloud.SetQuota(admin, "p.floating_ip", simcloud.QuotaSpec{Limit: 7}))
			must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, simcloud.FloatingIPSpec{Name: "secret-name", Labels: labels}))
			if err := end(admin, cloud); err != nil {
				t.Fatal(err)
			}
			must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "p"}))
			last := must[simcloud.State](t)(cloud.GetState(admin)).Revision
			must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, simcloud.FloatingIPSpec{Name: "mine"}))
			reader := simcloud.WithCaller(t.Context(), simcloud.Caller{Token: "tok-9", Project: "p", Role: simcloud.RoleReader})
			for event, err := range cloud.WatchEvents(reader, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if event.Revision > last {
					break
				}
				if text := fmt.Sprintf("%+v %s", event, event.Object); strings.Contains(text, "secret") || event.Kind == simcloud.KindQuota {
					t.Errorf("the new project's reader gets %s", text)
				}
			}
			next := uint64(1)
			for event, err := range cloud.WatchAllEvents(admin, 0) {
				if err != nil || event.Revision != next {
					t.Fatalf("event %d, %v, want %d", event.Revision, err, next)
				}
				if next++; next > last {
					break
				}
			}
			if err := cloud.Check(admin); err != nil {
				t.Error(err)
			}
		})
	}
}
