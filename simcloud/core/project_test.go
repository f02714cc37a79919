package core_test

import (
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
