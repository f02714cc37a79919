package openstack_test

import (
	"net/http"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// TestRulesTogether: the rules of one request are one change of the group.
func TestRulesTogether(t *testing.T) {
	t.Parallel()
	w := open(t)
	group := must[simcloud.Result[simcloud.SecurityGroup]](t)(w.native.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: "g"})).Resource
	uuid := service.SecurityGroups.UUID(group.ID)
	rule := func(port string) string {
		return `{"security_group_id": "` + uuid + `", "direction": "ingress", "protocol": "tcp", "port_range_min": ` + port + `, "port_range_max": ` + port + `}`
	}
	got := w.send(http.MethodPost, "/network/v2.0/security-group-rules", `{"security_group_rules": [`+rule("80")+`,`+rule("443")+`,`+rule("22")+`]}`)
	if got.status != http.StatusCreated {
		t.Fatalf("%d %s", got.status, got.body)
	}
	after := must[simcloud.SecurityGroup](t)(w.native.GetSecurityGroup(t.Context(), group.ID))
	const most = 2 // changes of the cloud: the group and the operation
	if len(after.Rules) != len(group.Rules)+3 || after.Version > group.Version+most {
		t.Errorf("the group has %d rules and the version %d, of before %d and %d: want one change", len(after.Rules), after.Version, len(group.Rules), group.Version)
	}
	if got := w.send(http.MethodPost, "/network/v2.0/security-group-rules", `{"security_group_rules": [`+rule("81")+`,`+rule("81")+`]}`); got.status != http.StatusConflict {
		t.Errorf("a rule twice: %d %s", got.status, got.body)
	}
}
