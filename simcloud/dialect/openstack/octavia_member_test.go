package openstack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/pools"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func (l lab) batch(pool string, members ...pools.BatchUpdateMemberOpts) error {
	l.Helper()
	return pools.BatchUpdateMembers(l.Context(), l.lbaas, pool, append([]pools.BatchUpdateMemberOpts{}, members...)).ExtractErr()
}

// at is a member as the CCM has it.
func at(address string, port int) pools.BatchUpdateMemberOpts {
	name := "node-" + address
	return pools.BatchUpdateMemberOpts{Name: &name, Address: address, ProtocolPort: port}
}

// TestUpdateMembers: members that are the same stay with their ids, and a request that changes nothing begins nothing.
func TestUpdateMembers(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 3)
	lb, _, pool := l.simple()
	l.settle()
	status := func(want string) {
		t.Helper()
		if now := l.balancer(lb); now.ProvisioningStatus != want {
			t.Errorf("the status is %s, want %s", now.ProvisioningStatus, want)
		}
	}
	set := func(members ...pools.BatchUpdateMemberOpts) []pools.Member {
		t.Helper()
		if err := l.batch(pool, members...); err != nil {
			t.Fatal(err)
		}
		return l.members(pool)
	}
	first := set(at(l.addresses[0], 80), at(l.addresses[1], 80))
	status("PENDING_UPDATE")
	refused(t, l.batch(pool), http.StatusConflict, "is immutable and cannot be updated.")
	l.settle()
	before := l.balancer(lb)
	again := set(at(l.addresses[1], 80), at(l.addresses[0], 80))
	status("ACTIVE")
	if len(first) != 2 || len(again) != 2 || again[0].ID != first[0].ID || !cmp.Equal(before, l.balancer(lb)) {
		t.Errorf("the same members: got %+v, want %+v", again, first)
	}
	second := set(at(l.addresses[1], 80), at(l.addresses[2], 80), at(l.addresses[1], 81))
	status("PENDING_UPDATE")
	if len(second) != 3 || second[0].ID != first[1].ID || second[0].Name != "node-"+l.addresses[1] || second[1].Address != l.addresses[2] || second[2].ProtocolPort != 81 {
		t.Errorf("other members: got %+v", second)
	}
	l.settle()
	heavy := at(l.addresses[1], 80)
	weight, backup := 7, true
	heavy.Weight, heavy.Backup, heavy.Tags = &weight, &backup, []string{"t"}
	third := set(at(l.addresses[2], 80), heavy)
	for _, m := range third {
		if m.Address == l.addresses[1] && (m.ID != first[1].ID || m.Weight != 7 || !m.Backup || !cmp.Equal(m.Tags, []string{"t"})) || len(third) != 2 {
			t.Errorf("a changed member: got %+v", third)
		}
	}
	l.settle()
	if group := l.group(pool); len(group.Targets) != 2 || group.Targets[1].Weight != 7 || group.Targets[1].Instance != "i-2" {
		t.Errorf("the cloud has %+v", group.Targets)
	}
	if none := set(); len(none) != 0 {
		t.Errorf("no members: got %+v", none)
	}
	l.settle()
	status("ACTIVE")
}

// TestAdditiveOnly: members that a request does not have stay.
func TestAdditiveOnly(t *testing.T) {
	t.Parallel()
	l := openLab(t, 3)
	_, _, pool := l.simple()
	if err := l.batch(pool, at(l.addresses[0], 80), at(l.addresses[1], 80)); err != nil {
		t.Fatal(err)
	}
	l.put("pools/"+pool+"/members?additive_only=True", fmt.Sprintf(`{"members": [{"address": %q, "protocol_port": 80}, {"address": %q, "protocol_port": 80, "weight": 9}]}`,
		l.addresses[2], l.addresses[1]), http.StatusAccepted, "")
	weights := map[string]int{}
	for _, m := range l.members(pool) {
		weights[m.Address] = m.Weight
	}
	if want := map[string]int{l.addresses[0]: 1, l.addresses[1]: 9, l.addresses[2]: 1}; !cmp.Equal(weights, want) {
		t.Errorf("the weights are %v, want %v", weights, want)
	}
}

// TestOneMember: members one by one.
func TestOneMember(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 2)
	_, _, pool := l.simple()
	l.settle()
	port, weight, backup := 81, 3, true
	opts := pools.CreateMemberOpts{
		Name: "n_", Address: l.addresses[0], ProtocolPort: 80, SubnetID: subnet4, MonitorPort: &port, MonitorAddress: l.addresses[0], Weight: &weight, Backup: &backup, Tags: []string{"t"},
	}
	made := must[*pools.Member](t)(pools.CreateMember(t.Context(), l.lbaas, pool, opts).Extract())
	if made.Name != "n_" || made.Address != l.addresses[0] || made.ProtocolPort != 80 || made.SubnetID != subnet4 || made.MonitorPort != 81 || made.MonitorAddress != l.addresses[0] ||
		made.Weight != 3 || !made.Backup || !cmp.Equal(made.Tags, []string{"t"}) || made.OperatingStatus != "NO_MONITOR" || made.ProvisioningStatus == "ACTIVE" {
		t.Errorf("the new member is %+v", made)
	}
	l.settle()
	refused(t, pools.CreateMember(t.Context(), l.lbaas, pool, opts).Err, http.StatusConflict,
		"Another member on this pool is already using ip "+l.addresses[0]+" on protocol_port 80")
	refused(t, l.batch(pool, at(l.addresses[1], 1), at(l.addresses[1], 1)), http.StatusConflict, "is already using ip")
	if err := pools.DeleteMember(t.Context(), l.lbaas, pool, made.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	refused(t, pools.GetMember(t.Context(), l.lbaas, pool, made.ID).Err, http.StatusNotFound, "Member "+made.ID+" not found.")
	l.settle()
	refused(t, pools.DeleteMember(t.Context(), l.lbaas, pool, made.ID).Err, http.StatusNotFound, "Member "+made.ID+" not found.")
	refused(t, pools.GetMember(t.Context(), l.lbaas, "x", made.ID).Err, http.StatusNotFound, "Pool x not found.")
}

// TestUpdateMember: a change of one member leaves what it does not have, and the other members.
func TestUpdateMember(t *testing.T) {
	t.Parallel()
	l := slowLab(t, 2)
	_, _, pool := l.simple()
	l.settle()
	if err := l.batch(pool, at(l.addresses[0], 80), at(l.addresses[1], 80)); err != nil {
		t.Fatal(err)
	}
	l.settle()
	before := l.members(pool)
	weight, port, backup, name := 7, 81, true, "other"
	opts := pools.UpdateMemberOpts{Weight: &weight, MonitorPort: &port, Backup: &backup, Tags: []string{"t"}}
	changed := must[*pools.Member](t)(pools.UpdateMember(t.Context(), l.lbaas, pool, before[0].ID, opts).Extract())
	if changed.ID != before[0].ID || changed.Name != before[0].Name || changed.Weight != 7 || changed.MonitorPort != 81 || !changed.Backup || !cmp.Equal(changed.Tags, []string{"t"}) || changed.ProvisioningStatus != "PENDING_UPDATE" {
		t.Errorf("the member is %+v", changed)
	}
	refused(t, pools.UpdateMember(t.Context(), l.lbaas, pool, before[0].ID, opts).Err, http.StatusConflict, "is immutable and cannot be updated.")
	l.settle()
	again := must[*pools.Member](t)(pools.UpdateMember(t.Context(), l.lbaas, pool, before[0].ID, pools.UpdateMemberOpts{Name: &name}).Extract())
	if again.Name != name || again.Weight != 7 || again.MonitorPort != 81 || !again.Backup {
		t.Errorf("the member is %+v", again)
	}
	l.settle()
	if other := l.members(pool)[1]; other.ID != before[1].ID || other.Name != before[1].Name || other.Weight != 1 || other.Backup {
		t.Errorf("the other member is %+v, want %+v", other, before[1])
	}
	l.put("pools/"+pool+"/members/"+before[0].ID, `{"member": {"monitor_port": null, "tags": []}}`, http.StatusOK, "")
	l.settle()
	if after := l.members(pool)[0]; after.MonitorPort != 0 || len(after.Tags) != 0 || after.Weight != 7 {
		t.Errorf("without its own port the member is %+v", after)
	}
	l.put("pools/"+pool+"/members/"+before[0].ID, `{"member": {"weight": null, "backup": null, "name": null}}`, http.StatusOK, "")
	l.settle()
	if after := l.members(pool)[0]; after.Weight != 1 || after.Backup || after.Name != "" {
		t.Errorf("null leaves %+v", after)
	}
	l.put("pools/"+pool+"/members/"+before[0].ID, `{"member": {"weight": 257}}`, http.StatusBadRequest, "weight 257 of a member")
	l.put("pools/"+pool+"/members/"+before[0].ID, `{"member": {"address": "192.0.2.1"}}`, http.StatusBadRequest, "address")
	l.put("pools/"+pool+"/members/x", `{"member": {}}`, http.StatusNotFound, "Member x not found.")
}

// TestMemberOfNoServer: a member can have an address that belongs to no server. It stays when a server goes, and is told
// apart from servers.
func TestMemberOfNoServer(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	_, _, pool := l.simple()
	before := l.members(pool)
	l.post("pools/"+pool+"/members", `{"member": {"address": "192.0.2.9", "protocol_port": 8080}}`, http.StatusCreated, "192.0.2.9")
	after := l.members(pool)
	if len(after) != len(before)+1 || after[len(before)].Address != "192.0.2.9" || after[len(before)].ProtocolPort != 8080 {
		t.Fatalf("the members are %+v, and were %+v", after, before)
	}
	l.post("pools/"+pool+"/members", `{"member": {"address": "192.0.2.9", "protocol_port": 8080}}`, http.StatusConflict, "192.0.2.9")
	l.answers(http.MethodDelete, "pools/"+pool+"/members/"+after[len(before)].ID, "", http.StatusNoContent, "")
	if left := l.members(pool); len(left) != len(before) {
		t.Errorf("after the deletion the members are %+v", left)
	}
}

func TestMembersRefused(t *testing.T) {
	t.Parallel()
	l := openLab(t, 1)
	_, _, pool := l.simple()
	own := l.addresses[0]
	for attributes, want := range map[string]string{
		`"address": "x", "protocol_port": 1`:                               "address 'x' of a member is not an IP address",
		`"protocol_port": 1`:                                               "address '' of a member",
		`"address": "` + own + `"`:                                         "protocol_port 0 of a member must be between 1 and 65535",
		`"address": "` + own + `", "protocol_port": 65536`:                 "protocol_port 65536",
		`"address": "` + own + `", "protocol_port": 1, "weight": 257`:      "weight 257 of a member must be between 0 and 256",
		`"address": "` + own + `", "protocol_port": 1, "monitor_port": -1`: "monitor_port -1",
		`"address": "` + own + `", "protocol_port": 1, "colour": 1`:        "colour",
		`"address": "` + own + `", "protocol_port": "1"`:                   "member.protocol_port: string is not allowed",
	} {
		l.post("pools/"+pool+"/members", `{"member": {`+attributes+`}}`, http.StatusBadRequest, want)
		if !strings.Contains(want, "member.") {
			l.put("pools/"+pool+"/members", `{"members": [{`+attributes+`}]}`, http.StatusBadRequest, want)
		}
	}
	for _, attributes := range []string{`"weight": 0`, `"admin_state_up": false`, `"monitor_address": "10.0.0.99"`} {
		l.post("pools/"+pool+"/members", `{"member": {"address": "`+own+`", "protocol_port": 1, `+attributes+`}}`, http.StatusNotImplemented, "simcloud does not simulate")
	}
	if members := l.members(pool); len(members) != 0 {
		t.Errorf("what was refused has made %+v", members)
	}
}

// TestMemberOfADeletedServer: it stays, also in a request for all members, and is not healthy.
func TestMemberOfADeletedServer(t *testing.T) {
	t.Parallel()
	l := openLab(t, 2)
	made := l.create(l.wholeTree())
	pool := made.Pools[0].ID
	must[simcloud.Operation](t)(l.native.DeleteInstance(t.Context(), "i-1"))
	before := l.members(pool)
	if len(before) != 2 || before[0].Address != l.addresses[0] || before[0].OperatingStatus != "ERROR" || before[1].OperatingStatus != "ONLINE" {
		t.Errorf("the members are %+v", before)
	}
	if now := l.balancer(made.ID); now.OperatingStatus != "DEGRADED" {
		t.Errorf("the load balancer is %s, want DEGRADED", now.OperatingStatus)
	}
	// The whole set, with one member more.
	var same []pools.BatchUpdateMemberOpts
	for _, m := range before {
		port := m.MonitorPort
		same = append(same, pools.BatchUpdateMemberOpts{Name: &m.Name, Address: m.Address, ProtocolPort: m.ProtocolPort, SubnetID: &m.SubnetID, MonitorPort: &port})
	}
	if err := l.batch(pool, append(same, at(l.addresses[1], 9))...); err != nil {
		t.Fatal(err)
	}
	if after := l.members(pool); len(after) != 3 || after[0].ID != before[0].ID {
		t.Errorf("the members are %+v", after)
	}
	if err := l.batch(pool, same[1]); err != nil {
		t.Fatal(err)
	}
	if after := l.members(pool); len(after) != 1 || after[0].ID != before[1].ID {
		t.Errorf("the members are %+v", after)
	}
}

// TestMembersOfIPv6: an address may be written in more than one way, and comes back as it was sent.
func TestMembersOfIPv6(t *testing.T) {
	t.Parallel()
	l := openLab(t, 0)
	l.dual()
	address := ""
	for _, a := range must[simcloud.Instance](t)(l.native.GetInstance(t.Context(), "i-1")).Addresses {
		if a.Scope == simcloud.ScopePrivate && strings.Contains(a.Address, ":") {
			address = a.Address
		}
	}
	long := strings.Replace(address, "::", ":0:0:0:0:", 1)
	pool := l.dualPool()
	if err := l.batch(pool, at(long, 80)); err != nil {
		t.Fatal(err)
	}
	if got := l.members(pool); len(got) != 1 || got[0].Address != long {
		t.Errorf("the members are %+v, want %s", got, long)
	}
}

// TestManyMembers: 1,000 members are set, read, and set again, in pages of their own.
func TestManyMembers(t *testing.T) {
	t.Parallel()
	l := openLab(t, 4)
	_, _, pool := l.simple()
	var members []pools.BatchUpdateMemberOpts
	for port := range 250 {
		for _, address := range l.addresses {
			members = append(members, at(address, 1000+port))
		}
	}
	for range 2 {
		if err := l.batch(pool, members...); err != nil {
			t.Fatal(err)
		}
		if got := l.members(pool); len(got) != 1000 || got[999].Address != l.addresses[3] || got[999].ProtocolPort != 1249 {
			t.Errorf("got %d members", len(got))
		}
	}
	if got := l.wire.count("GET /load-balancer/v2.0/lbaas/pools/" + pool + "/members 200"); got != 2 {
		t.Errorf("members were read in %d pages, want one each time", got)
	}
	if got := l.pool(pool); len(got.Members) != 1000 {
		t.Errorf("the pool has %d members", len(got.Members))
	}
}
