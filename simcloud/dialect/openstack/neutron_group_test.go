package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/rules"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// group makes a security group.
func (w world) group(name string) groups.SecGroup {
	w.Helper()
	return *must[*groups.SecGroup](w)(groups.Create(w.Context(), w.neutron(), groups.CreateOpts{Name: name, Description: "of " + name}).Extract())
}

// ruleIDs are the ids of the rules that a query asks for.
func (w world) ruleIDs(opts rules.ListOpts) []string {
	w.Helper()
	return ids(all(w, rules.List(w.neutron(), opts), rules.ExtractRules), func(r rules.SecGroupRule) string { return r.ID })
}

func TestSecurityGroups(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	list := func(opts groups.ListOpts) []string {
		t.Helper()
		return ids(all(w, groups.List(n, opts), groups.ExtractGroups), func(g groups.SecGroup) string { return g.ID })
	}
	same(t, "a new project", list(groups.ListOpts{}), []string{})
	web := w.group("lb-sg-1234-default-web")
	if web.ID != service.SecurityGroups.UUID("sg-1") || web.Name != "lb-sg-1234-default-web" || web.Description != "of lb-sg-1234-default-web" || len(web.Rules) != 2 {
		t.Errorf("the group is %+v", web)
	}
	for i, family := range []string{"IPv4", "IPv6"} {
		r := web.Rules[i]
		if r.Direction != "egress" || r.EtherType != family || r.Protocol != "" || r.RemoteIPPrefix != "" || r.SecGroupID != web.ID {
			t.Errorf("rule %d is %+v", i, r)
		}
		if err := rules.Delete(t.Context(), n, r.ID).Err; err != nil {
			t.Error(err)
		}
		refused(t, rules.Delete(t.Context(), n, r.ID).Err, http.StatusNotFound, "SecurityGroupRuleNotFound")
	}
	strange := w.group("a group, of _")
	if core := must[simcloud.SecurityGroup](t)(w.native.GetSecurityGroup(t.Context(), "sg-2")); core.Name != "a-group-of" || strange.Name != "a group, of _" {
		t.Errorf("the group is %+v, the core's %+v", strange, core.Meta)
	}
	same(t, "all", list(groups.ListOpts{}), []string{web.ID, strange.ID})
	same(t, "by name", list(groups.ListOpts{Name: "a group, of _"}), []string{strange.ID})
	same(t, "by description", list(groups.ListOpts{Description: web.Description}), []string{web.ID})
	same(t, "by another name", list(groups.ListOpts{Name: "x"}), []string{})
	changed := must[*groups.SecGroup](t)(groups.Update(t.Context(), n, strange.ID, groups.UpdateOpts{Name: "plain", Description: new("")}).Extract())
	if got := must[*groups.SecGroup](t)(groups.Get(t.Context(), n, strange.ID).Extract()); got.Name != "plain" || got.Description != "" || changed.Name != "plain" {
		t.Errorf("the group is %+v", got)
	}
	if err := groups.Delete(t.Context(), n, strange.ID).Err; err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		groups.Get(t.Context(), n, strange.ID).Err, groups.Delete(t.Context(), n, "x").Err, groups.Update(t.Context(), n, service.Routers.UUID("rt-1"), groups.UpdateOpts{Name: "x"}).Err,
	} {
		refused(t, err, http.StatusNotFound, "SecurityGroupNotFound")
	}
	refused(t, groups.Create(t.Context(), n, groups.CreateOpts{Name: "default"}).Err, http.StatusConflict, "SecurityGroupDefaultAlreadyExists")
	refused(t, groups.Create(t.Context(), n, groups.CreateOpts{Name: "x", ProjectID: "someone"}).Err, http.StatusForbidden, "PolicyNotAuthorized")
	if got := w.send(http.MethodPut, "/network/v2.0/security-groups/"+service.SecurityGroups.UUID("sg-1"), `{"security_group":{"project_id":"someone"}}`); got.status != http.StatusBadRequest {
		t.Errorf("another project: %d %s", got.status, got.body)
	}
	refused(t, groups.Create(t.Context(), n, groups.CreateOpts{Name: "x", Description: strings.Repeat("x", 300)}).Err, http.StatusBadRequest, "description: has 300 bytes")
	must[simcloud.Result[simcloud.Quota]](t)(w.native.SetQuota(t.Context(), "default.security_group", simcloud.QuotaSpec{Limit: 1}))
	refused(t, groups.Create(t.Context(), n, groups.CreateOpts{Name: "x"}).Err, http.StatusConflict, "OverQuota")
	if got := w.send(http.MethodPost, "/network/v2.0/security-groups", `{}`); got.status != http.StatusBadRequest {
		t.Errorf("no group: %d %s", got.status, got.body)
	}
}

// TestDefaultSecurityGroup: a project has the group "default" only where the cloud gives it one.
func TestDefaultSecurityGroup(t *testing.T) {
	t.Parallel()
	w := open(t)
	on := true
	w.configure(simcloud.ConfigUpdate{DefaultSecurityGroups: &on})
	w.instance(simcloud.InstanceSpec{Name: "a"})
	found := all(w, groups.List(w.neutron(), groups.ListOpts{Name: "default"}), groups.ExtractGroups)
	if len(found) != 1 || len(found[0].Rules) != 3 || found[0].Rules[0].RemoteGroupID != found[0].ID || found[0].Rules[0].EtherType != "IPv4" {
		t.Errorf("the groups are %+v", found)
	}
}

func TestSecurityGroupRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	web, other := w.group("web"), w.group("other")
	create := func(opts rules.CreateOpts) rules.SecGroupRule {
		t.Helper()
		opts.SecGroupID = web.ID
		return *must[*rules.SecGroupRule](t)(rules.Create(t.Context(), n, opts).Extract())
	}
	tcp := create(rules.CreateOpts{Direction: rules.DirIngress, EtherType: rules.EtherType4, Protocol: rules.ProtocolTCP, PortRangeMin: 80, PortRangeMax: 90, RemoteIPPrefix: "10.0.0.7", Description: "web"})
	if tcp.Direction != "ingress" || tcp.EtherType != "IPv4" || tcp.Protocol != "tcp" || tcp.PortRangeMin != 80 || tcp.PortRangeMax != 90 || tcp.RemoteIPPrefix != "10.0.0.7/32" || tcp.Description != "web" || tcp.SecGroupID != web.ID {
		t.Errorf("the rule is %+v", tcp)
	}
	if got := must[*rules.SecGroupRule](t)(rules.Get(t.Context(), n, tcp.ID).Extract()); *got != tcp {
		t.Errorf("the rule is %+v, want %+v", got, tcp)
	}
	open4 := create(rules.CreateOpts{Direction: rules.DirIngress, EtherType: rules.EtherType4, Protocol: "17", PortRangeMin: 53, PortRangeMax: 53, RemoteIPPrefix: "0.0.0.0/0"})
	if open4.RemoteIPPrefix != "0.0.0.0/0" || open4.Protocol != "udp" {
		t.Errorf("the rule is %+v", open4)
	}
	all6 := create(rules.CreateOpts{Direction: rules.DirIngress, EtherType: rules.EtherType6, Protocol: rules.ProtocolTCP})
	if all6.EtherType != "IPv6" || all6.PortRangeMin != 0 || all6.PortRangeMax != 0 || all6.RemoteIPPrefix != "::/0" {
		t.Errorf("the rule is %+v", all6)
	}
	grouped := create(rules.CreateOpts{Direction: rules.DirIngress, EtherType: rules.EtherType4, RemoteGroupID: other.ID})
	if grouped.RemoteGroupID != other.ID || grouped.RemoteIPPrefix != "" || grouped.Protocol != "" {
		t.Errorf("the rule is %+v", grouped)
	}
	ping := create(rules.CreateOpts{Direction: rules.DirIngress, EtherType: rules.EtherType6, Protocol: rules.ProtocolIPv6ICMP, PortRangeMin: 8, RemoteIPPrefix: "fd00::1/64"})
	if ping.Protocol != "ipv6-icmp" || ping.PortRangeMin != 8 || ping.PortRangeMax != 0 || ping.RemoteIPPrefix != "fd00::/64" {
		t.Errorf("the rule is %+v", ping)
	}
	egress := ids(web.Rules, func(r rules.SecGroupRule) string { return r.ID })
	for what, c := range map[string]struct {
		opts rules.ListOpts
		want []string
	}{
		"group":  {rules.ListOpts{SecGroupID: web.ID}, append(slices.Clone(egress), tcp.ID, open4.ID, all6.ID, grouped.ID, ping.ID)},
		"egress": {rules.ListOpts{SecGroupID: web.ID, Direction: "egress"}, egress}, "family": {rules.ListOpts{EtherType: "IPv6", Direction: "ingress"}, []string{all6.ID, ping.ID}},
		"protocol": {rules.ListOpts{Protocol: "tcp"}, []string{tcp.ID, all6.ID}}, "prefix": {rules.ListOpts{RemoteIPPrefix: "10.0.0.7/32"}, []string{tcp.ID}},
		"remote": {rules.ListOpts{RemoteGroupID: other.ID}, []string{grouped.ID}}, "ports": {rules.ListOpts{PortRangeMin: 80, PortRangeMax: 90}, []string{tcp.ID}},
		"description": {rules.ListOpts{Description: "web"}, []string{tcp.ID}}, "id": {rules.ListOpts{ID: ping.ID}, []string{ping.ID}},
	} {
		same(t, what, w.ruleIDs(c.opts), c.want)
	}
	refused(t, groups.Delete(t.Context(), n, other.ID).Err, http.StatusConflict, "SecurityGroupInUse")
	if err := rules.Delete(t.Context(), n, grouped.ID).Err; err != nil {
		t.Error(err)
	}
	refused(t, rules.Get(t.Context(), n, grouped.ID).Err, http.StatusNotFound, "SecurityGroupRuleNotFound")
	if err := groups.Delete(t.Context(), n, other.ID).Err; err != nil {
		t.Error(err)
	}
	// Only the two rules that a new group has are without a prefix.
	everyone := create(rules.CreateOpts{Direction: rules.DirIngress, EtherType: rules.EtherType4, RemoteIPPrefix: "0.0.0.0/0"})
	if everyone.RemoteIPPrefix != "0.0.0.0/0" || everyone.Protocol != "" {
		t.Errorf("the rule is %+v", everyone)
	}
}

// TestSecurityGroupRulesAtOnce: a list of rules is added whole, or not at all.
func TestSecurityGroupRulesAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := w.neutron()
	web := w.group("web")
	opts := func(port int) rules.CreateOpts {
		return rules.CreateOpts{SecGroupID: web.ID, Direction: rules.DirIngress, EtherType: rules.EtherType4, Protocol: rules.ProtocolTCP, PortRangeMin: port, PortRangeMax: port}
	}
	made := must[[]rules.SecGroupRule](t)(rules.CreateBulk(t.Context(), n, []rules.CreateOpts{opts(80), opts(443)}).Extract())
	if len(made) != 2 || made[1].PortRangeMin != 443 {
		t.Errorf("the rules are %+v", made)
	}
	refused(t, rules.CreateBulk(t.Context(), n, []rules.CreateOpts{opts(22), opts(80)}).Err, http.StatusConflict, "SecurityGroupRuleExists")
	if n := len(w.ruleIDs(rules.ListOpts{SecGroupID: web.ID})); n != 4 {
		t.Errorf("there are %d rules, want 4", n)
	}
}

func TestSecurityGroupRuleRefusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	web := w.group("web")
	post := func(rule string) sent {
		t.Helper()
		rule = strings.Replace(rule, "{", `{"security_group_id":"`+web.ID+`","direction":"ingress",`, 1)
		return w.send(http.MethodPost, "/network/v2.0/security-group-rules", `{"security_group_rule":`+rule+`}`)
	}
	if got := post(`{"protocol":6,"port_range_min":80,"port_range_max":80,"ethertype":"ipv4"}`); got.status != http.StatusCreated || !strings.Contains(got.body, `"protocol":"tcp"`) {
		t.Errorf("a number: %d %s", got.status, got.body)
	}
	for text, rule := range map[string]string{
		"SecurityGroupRuleInvalidProtocol":           `{"protocol":"sctp"}`,
		"SecurityGroupProtocolRequiredWithPorts":     `{"port_range_min":80,"port_range_max":80}`,
		"SecurityGroupInvalidPortRange":              `{"protocol":"tcp","port_range_min":81,"port_range_max":80}`,
		"For TCP/UDP protocols":                      `{"protocol":"tcp","port_range_min":81}`,
		"SecurityGroupInvalidPortValue":              `{"protocol":"tcp","port_range_min":0,"port_range_max":80}`,
		"between 1 and 65535":                        `{"protocol":"tcp","port_range_min":1,"port_range_max":65536}`,
		"SecurityGroupMissingIcmpType":               `{"protocol":"icmp","port_range_max":3}`,
		"SecurityGroupInvalidIcmpValue":              `{"protocol":"icmp","port_range_min":256}`,
		"cannot tell it from all":                    `{"protocol":"icmp","port_range_min":0,"port_range_max":0}`,
		"SecurityGroupEthertypeConflictWithProtocol": `{"protocol":"icmpv6"}`,
		"SecurityGroupRuleParameterConflict":         `{"remote_ip_prefix":"fd00::/64"}`,
		"SecurityGroupMultipleRemoteEntites":         `{"remote_ip_prefix":"10.0.0.0/8","remote_group_id":"` + web.ID + `"}`,
		"must be an IP address or a CIDR":            `{"remote_ip_prefix":"nowhere"}`,
		"must be IPv4 or IPv6":                       `{"ethertype":"IPv5"}`,
		"for both versions at once":                  `{"ethertype":"IPv6","remote_group_id":"` + web.ID + `"}`,
		"security_group_rule.colour":                 `{"colour":"red"}`,
	} {
		if got := post(rule); got.status != http.StatusBadRequest || !strings.Contains(got.body, text) {
			t.Errorf("%s: %d %s, want 400 and %s", rule, got.status, got.body, text)
		}
	}
	if got := post(`{"protocol":"tcp","port_range_min":80,"port_range_max":80,"remote_ip_prefix":"0.0.0.0/0"}`); got.status != http.StatusConflict || !strings.Contains(got.body, "SecurityGroupRuleExists") {
		t.Errorf("a rule that is there: %d %s, want 409", got.status, got.body)
	}
	if got := post(`{"remote_group_id":"` + service.SecurityGroups.UUID("sg-7") + `"}`); got.status != http.StatusNotFound || !strings.Contains(got.body, "SecurityGroupNotFound") {
		t.Errorf("a remote group that is not there: %d %s, want 404", got.status, got.body)
	}
	n := w.neutron()
	refused(t, rules.Create(t.Context(), n, rules.CreateOpts{SecGroupID: "x", Direction: rules.DirIngress, EtherType: rules.EtherType4}).Err, http.StatusNotFound, "SecurityGroupNotFound")
	refused(t, rules.Create(t.Context(), n, rules.CreateOpts{SecGroupID: web.ID, Direction: "up", EtherType: rules.EtherType4}).Err, http.StatusBadRequest, "must be ingress or egress")
	limit := 3
	w.configure(simcloud.ConfigUpdate{MaxSecurityGroupRules: &limit})
	if got := post(`{"protocol":"udp"}`); got.status != http.StatusConflict || !strings.Contains(got.body, "OverQuota") {
		t.Errorf("too many: %d %s", got.status, got.body)
	}
}
