package core_test

import (
	"context"
	"fmt"
	"iter"
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

// streamOf returns what takes the next event of a stream, which is paused in between.
func streamOf(t *testing.T, events iter.Seq2[simcloud.Event, error]) func() (simcloud.Event, bool) {
	t.Helper()
	next, stop := iter.Pull2(events)
	t.Cleanup(stop)
	return func() (simcloud.Event, bool) {
		event, err, ok := next()
		if err != nil || !ok {
			t.Errorf("the stream ends: %v", err)
		}
		return event, err == nil && ok
	}
}

// TestEventsOfGoneProjects: whatever ends a project, a later one of its name
// reads none of its events; admins still see each revision. A stream that is
// behind shows none of them either, also those that it had read already.
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
			reader := simcloud.WithCaller(t.Context(), simcloud.Caller{Token: "tok-9", Project: "p", Role: simcloud.RoleReader})
			before := must[simcloud.State](t)(cloud.GetState(admin)).Revision
			labels := map[string]string{"secret": "label"}
			must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(admin, simcloud.ProjectSpec{Name: "p", Labels: labels}))
			streams := map[string]func() (simcloud.Event, bool){"feed": streamOf(t, cloud.WatchEvents(reader, before))}
			streams["feed"]() // the project, which the store has; what comes now it takes from the feed
			must[simcloud.Result[simcloud.Quota]](t)(cloud.SetQuota(admin, "p.floating_ip", simcloud.QuotaSpec{Limit: 7}))
			must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, simcloud.FloatingIPSpec{Name: "secret-name", Labels: labels}))
			streams["store"] = streamOf(t, cloud.WatchEvents(reader, 0))
			streams["all"] = streamOf(t, cloud.WatchAllEvents(admin, 0))
			for name, next := range streams { // each has one event more now, and has read all that the project has
				if event, _ := next(); name == "feed" && event.Kind != simcloud.KindQuota {
					t.Errorf("the stream that follows the feed shows %+v", event)
				}
			}
			if err := end(admin, cloud); err != nil {
				t.Fatal(err)
			}
			must[simcloud.Result[simcloud.Project]](t)(cloud.CreateProject(t.Context(), simcloud.ProjectSpec{Name: "p"}))
			last := must[simcloud.State](t)(cloud.GetState(admin)).Revision
			must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, simcloud.FloatingIPSpec{Name: "mine"}))
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
			for name, next := range streams {
				for event, ok := next(); ok && event.Revision <= last; event, ok = next() {
					text := fmt.Sprintf("%+v %s", event, event.Object)
					if strings.Contains(text, "secret-name") || name != "all" && strings.Contains(text, "secret") {
						t.Errorf("the paused stream %q shows %s", name, text)
					}
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
