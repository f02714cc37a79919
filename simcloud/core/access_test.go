package core_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// call calls an operation by its name, with zero arguments.
func call(t *testing.T, cloud *core.Cloud, ctx context.Context, operation string) error {
	t.Helper()
	method := reflect.ValueOf(cloud).MethodByName(operation)
	if !method.IsValid() {
		t.Fatalf("the cloud has no %s", operation)
	}
	args := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn(); i++ {
		if method.Type().IsVariadic() && i == method.Type().NumIn()-1 {
			break
		}
		args = append(args, reflect.Zero(method.Type().In(i)))
	}
	results := method.Call(args)
	err, _ := results[len(results)-1].Interface().(error)
	return err
}

func asRole(ctx context.Context, role simcloud.Role) context.Context {
	return simcloud.WithCaller(ctx, simcloud.Caller{Project: simcloud.DefaultProject, Role: role})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	admins := []string{
		"CreateProject", "UpdateProject", "DeleteProject", "SetQuota",
		"ListTokens", "GetToken", "CreateToken", "RotateToken", "RevokeToken", "DeleteToken",
		"CreateRegion", "DeleteRegion", "CreateZone", "UpdateZone", "SetZoneState", "DeleteZone",
		"CreateInstanceType", "DeleteInstanceType", "CreateFloatingIPPool", "DeleteFloatingIPPool",
	}
	for _, e := range simcloud.Endpoints() {
		if strings.Contains(e.Operation, "Journal") || strings.Contains(e.Operation, "Fault") || isStream(e) {
			continue
		}
		adminOnly := strings.HasPrefix(e.Path, "/_sim") || slices.Contains(admins, e.Operation)
		for role, allowed := range map[simcloud.Role]bool{
			simcloud.RoleReader: !adminOnly && !e.Write(),
			simcloud.RoleWriter: !adminOnly,
			simcloud.RoleAdmin:  true,
			"":                  !adminOnly && !e.Write(),
		} {
			if role != "" && e.Allows(role) != allowed {
				t.Errorf("%s as %q: its endpoint says %t, want %t", e.Operation, role, !allowed, allowed)
			}
			err := call(t, cloud, asRole(t.Context(), role), e.Operation)
			if forbidden := simcloud.CodeOf(err) == simcloud.Forbidden; forbidden == allowed {
				t.Errorf("%s as %q: got %v, want it allowed: %t", e.Operation, role, err, allowed)
			}
		}
	}
}

// isStream reports whether an operation yields until its context is done, so that a call does not return.
func isStream(e simcloud.Endpoint) bool {
	return e.Operation == "WatchEvents" || e.Operation == "WatchAllEvents"
}

// TestWatchAllEventsIsForAdmins: the events of other projects are not for everyone.
func TestWatchAllEventsIsForAdmins(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	for role, want := range map[simcloud.Role]error{simcloud.RoleReader: simcloud.Forbidden, simcloud.RoleWriter: simcloud.Forbidden, "": simcloud.Forbidden, simcloud.RoleAdmin: nil} {
		for _, err := range cloud.WatchAllEvents(asRole(t.Context(), role), 0) {
			if !errors.Is(err, want) {
				t.Errorf("as %q: got %v, want %v", role, err, want)
			}
			break
		}
	}
}

func TestContextThatIsOver(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range simcloud.Endpoints() {
		if strings.Contains(e.Operation, "Journal") || strings.Contains(e.Operation, "Fault") || isStream(e) {
			continue
		}
		if err := call(t, cloud, ctx, e.Operation); err != context.Canceled { //nolint:errorlint // the bare error is the promise
			t.Errorf("%s: got %v, want context.Canceled", e.Operation, err)
		}
	}
	for event, err := range cloud.WatchEvents(ctx, 0) {
		t.Errorf("WatchEvents yields %v, %v", event, err)
	}
	for event, err := range cloud.WatchAllEvents(asRole(ctx, simcloud.RoleAdmin), 0) {
		t.Errorf("WatchAllEvents yields %v, %v", event, err)
	}
}

// TestProjects: other projects' resources are not there, in whatever way one looks.
func TestProjects(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	mine := t.Context()
	theirs := simcloud.WithCaller(mine, simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})

	id := must[instanceResult](t)(cloud.CreateInstance(mine, simcloud.InstanceSpec{Name: "a"})).Resource.ID
	_, err := cloud.GetInstance(theirs, id)
	_, unknown := cloud.GetInstance(theirs, "i-99")
	if got, want := err.Error(), strings.ReplaceAll(unknown.Error(), "i-99", string(id)); got != want {
		t.Errorf("the error %q differs from that of what is not there: %q", got, want)
	}
	_, err = cloud.StopInstance(theirs, id)
	wantCode(t, "StopInstance", err, simcloud.NotFound)
	_, err = cloud.DeleteNetwork(theirs, "net-1")
	wantCode(t, "DeleteNetwork", err, simcloud.NotFound)
	_, err = cloud.CreateInstance(theirs, simcloud.InstanceSpec{Name: "b", Network: "net-1"})
	wantCode(t, "CreateInstance in their network", err, simcloud.Invalid)
	_, err = cloud.CreateInstance(theirs, simcloud.InstanceSpec{Name: "b"})
	wantCode(t, "CreateInstance without a network", err, simcloud.Invalid)

	network := must[simcloud.Result[simcloud.Network]](t)(
		cloud.CreateNetwork(theirs, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16"}})).Resource
	other := must[instanceResult](t)(cloud.CreateInstance(theirs, simcloud.InstanceSpec{Name: "a"})).Resource
	if other.Network != network.ID || other.Project != "theirs" {
		t.Errorf("instance of %s in %s", other.Project, other.Network)
	}
	lb := simcloud.LoadBalancerSpec{Name: "lb", Targets: []simcloud.TargetSpec{{Instance: id}}}
	_, err = cloud.CreateLoadBalancer(theirs, lb)
	wantCode(t, "a target of another project", err, simcloud.Invalid)
	_, err = cloud.CreateFloatingIP(theirs, simcloud.FloatingIPSpec{Name: "f", AttachedTo: simcloud.Attachment{Kind: simcloud.KindInstance, ID: id}})
	wantCode(t, "an attachment to another project", err, simcloud.Invalid)

	for _, ctx := range []context.Context{mine, theirs} {
		page := must[simcloud.Page[simcloud.Instance]](t)(cloud.ListInstances(ctx, simcloud.ListOptions{Name: "a"}))
		if len(page.Items) != 1 || page.Items[0].Project != simcloud.CallerFrom(ctx).Project {
			t.Errorf("%s sees %v", simcloud.CallerFrom(ctx).Project, page.Items)
		}
	}
	_, err = cloud.DeleteZone(mine, other.Zone)
	wantCode(t, "delete a zone with instances of another project", err, simcloud.InUse)
	if err := cloud.Check(mine); err != nil {
		t.Error(err)
	}
}

func TestEventsOfProjects(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	mine := t.Context()
	theirs := simcloud.WithCaller(mine, simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	must[instanceResult](t)(cloud.CreateInstance(mine, simcloud.InstanceSpec{Name: "a"}))
	must[simcloud.Result[simcloud.Network]](t)(
		cloud.CreateNetwork(theirs, simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.0.0.0/16"}}))
	for event, err := range cloud.WatchEvents(theirs, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Project != "" && event.Project != "theirs" {
			t.Errorf("they see %s of %s", event.ID, event.Project)
		}
		if event.Kind == simcloud.KindNetwork {
			break
		}
	}
}

func TestKeysOfProjects(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{})
	theirs := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "theirs", Role: simcloud.RoleWriter})
	key, spec := simcloud.IdempotencyKey("k"), simcloud.FloatingIPSpec{Name: "a"}
	a := must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(t.Context(), spec, key))
	b := must[simcloud.Result[simcloud.FloatingIP]](t)(cloud.CreateFloatingIP(theirs, spec, key))
	if a.Resource.ID == b.Resource.ID {
		t.Errorf("one key of two projects answers %s for both", a.Resource.ID)
	}
}
