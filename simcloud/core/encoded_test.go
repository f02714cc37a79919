package core_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/core"
)

// sameEncoded asks for each resource by its id as JSON, and wants what
// encoding/json makes of it; from another project, what is said of an id that
// never was. It returns how many were answered as they are stored.
func sameEncoded[T any, P interface {
	*T
	GetMeta() *simcloud.Meta
}](t *testing.T, cloud *core.Cloud, kind simcloud.Kind, items []T, get func(context.Context, simcloud.ID) (T, error)) (answered int) {
	t.Helper()
	stranger := simcloud.WithCaller(t.Context(), simcloud.Caller{Project: "stranger", Role: simcloud.RoleReader})
	for i := range items {
		meta := P(&items[i]).GetMeta()
		got, ok, err := cloud.GetEncoded(t.Context(), kind, meta.ID)
		if !ok {
			continue
		}
		want := must[[]byte](t)(json.Marshal(items[i]))
		if answered++; err != nil || string(got.JSON) != string(want) || got.Meta.Version != meta.Version || got.Meta.Project != meta.Project {
			t.Fatalf("%s/%s is answered as %s (%+v), %v, want %s", kind, meta.ID, got.JSON, got.Meta, err, want)
		}
		_, wantErr := get(stranger, meta.ID)
		if got, _, err := cloud.GetEncoded(stranger, kind, meta.ID); cmp.Diff(simcloud.CodeOf(wantErr), simcloud.CodeOf(err)) != "" ||
			wantErr != nil && (err.Error() != wantErr.Error() || got.JSON != nil) {
			t.Fatalf("a stranger who asks for %s/%s gets %s, %v, want %v", kind, meta.ID, got.JSON, err, wantErr)
		}
	}
	_, wantErr := get(t.Context(), "i-missing")
	if _, ok, err := cloud.GetEncoded(t.Context(), kind, "i-missing"); ok && (err == nil || err.Error() != wantErr.Error()) {
		t.Errorf("a %s that is not there: %v, want %v", kind, err, wantErr)
	}
	return answered
}

// TestGetEncoded: what is answered as it is stored is what the Get of its kind
// answers, for each kind that has one, whatever has happened to the cloud.
func TestGetEncoded(t *testing.T) {
	t.Parallel()
	p := newPlayer(t, 11)
	must[simcloud.Result[simcloud.Subnet]](t)(p.CreateSubnet(t.Context(), simcloud.SubnetSpec{Name: "s", Network: "net-1", CIDR: "10.0.1.0/24"}))
	must[simcloud.Result[simcloud.Cluster]](t)(p.CreateCluster(t.Context(), simcloud.ClusterSpec{Name: "c", Endpoint: "https://10.0.0.9/?a=<b>&c"}))
	must[simcloud.Result[simcloud.Document]](t)(p.CreateDocument(t.Context(), simcloud.DocumentSpec{
		Name: "d", Dialect: "hcloud", Type: "certificate", Body: json.RawMessage(`{ "pem": "<a>&\u2028" }`),
	}))
	must[simcloud.Result[simcloud.SecurityGroup]](t)(p.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{
		Name: "g", Rules: []simcloud.SecurityGroupRuleSpec{{CIDR: "10.0.0.0/8", Description: "<&>"}},
	}))
	must[simcloud.Result[simcloud.TargetGroup]](t)(p.CreateTargetGroup(t.Context(), simcloud.TargetGroupSpec{
		Name: "g", Protocol: simcloud.ProtocolTCP, Port: 80, Options: map[string]string{"o": "<&>"},
	}))
	answered := map[simcloud.Kind]int{}
	for range 20 {
		p.play(60)
		p.settle()
		for kind, n := range p.answeredAsStored() {
			answered[kind] += n
		}
	}
	for _, kind := range []simcloud.Kind{
		simcloud.KindRegion, simcloud.KindZone, simcloud.KindInstanceType, simcloud.KindNetwork, simcloud.KindSubnet,
		simcloud.KindInstance, simcloud.KindVolume, simcloud.KindSSHKey, simcloud.KindLoadBalancer, simcloud.KindFloatingIP,
		simcloud.KindFloatingIPPool, simcloud.KindRouteTable, simcloud.KindCluster, simcloud.KindDocument, simcloud.KindSecurityGroup,
		simcloud.KindTargetGroup, simcloud.KindOperation,
	} {
		if answered[kind] == 0 {
			t.Errorf("no %s was answered as it is stored", kind)
		}
	}
}

// settle ends what is under way, of which reads may count, and begins something
// that takes its time.
func (p *player) settle() {
	p.Helper()
	must[simcloud.ClockAdvance](p)(p.AdvanceClock(p.Context(), simcloud.Duration(time.Hour)))
	for _, op := range must[simcloud.State](p)(p.GetState(p.Context())).Operations {
		must[simcloud.Operation](p)(p.WaitOperation(p.Context(), op.ID))
	}
	must[simcloud.Config](p)(p.UpdateConfig(p.Context(), simcloud.ConfigUpdate{Progression: &minute, Progressions: &map[simcloud.Kind]simcloud.Progression{}}))
	must[instanceResult](p)(p.CreateInstance(p.Context(), simcloud.InstanceSpec{Name: "under-way"}))
}

func (p *player) answeredAsStored() map[simcloud.Kind]int {
	p.Helper()
	s, c, t := must[simcloud.State](p)(p.GetState(p.Context())), p.Cloud, p.T
	return map[simcloud.Kind]int{
		simcloud.KindProject:        sameEncoded(t, c, simcloud.KindProject, s.Projects, c.GetProject),
		simcloud.KindToken:          sameEncoded(t, c, simcloud.KindToken, s.Tokens, c.GetToken),
		simcloud.KindRegion:         sameEncoded(t, c, simcloud.KindRegion, s.Regions, c.GetRegion),
		simcloud.KindZone:           sameEncoded(t, c, simcloud.KindZone, s.Zones, c.GetZone),
		simcloud.KindInstanceType:   sameEncoded(t, c, simcloud.KindInstanceType, s.InstanceTypes, c.GetInstanceType),
		simcloud.KindNetwork:        sameEncoded(t, c, simcloud.KindNetwork, s.Networks, c.GetNetwork),
		simcloud.KindSubnet:         sameEncoded(t, c, simcloud.KindSubnet, s.Subnets, c.GetSubnet),
		simcloud.KindInstance:       sameEncoded(t, c, simcloud.KindInstance, s.Instances, c.GetInstance),
		simcloud.KindVolume:         sameEncoded(t, c, simcloud.KindVolume, s.Volumes, c.GetVolume),
		simcloud.KindSSHKey:         sameEncoded(t, c, simcloud.KindSSHKey, s.SSHKeys, c.GetSSHKey),
		simcloud.KindLoadBalancer:   sameEncoded(t, c, simcloud.KindLoadBalancer, s.LoadBalancers, c.GetLoadBalancer),
		simcloud.KindFloatingIP:     sameEncoded(t, c, simcloud.KindFloatingIP, s.FloatingIPs, c.GetFloatingIP),
		simcloud.KindFloatingIPPool: sameEncoded(t, c, simcloud.KindFloatingIPPool, s.FloatingIPPools, c.GetFloatingIPPool),
		simcloud.KindRouteTable:     sameEncoded(t, c, simcloud.KindRouteTable, s.RouteTables, c.GetRouteTable),
		simcloud.KindCluster:        sameEncoded(t, c, simcloud.KindCluster, s.Clusters, c.GetCluster),
		simcloud.KindDocument:       sameEncoded(t, c, simcloud.KindDocument, s.Documents, c.GetDocument),
		simcloud.KindSecurityGroup:  sameEncoded(t, c, simcloud.KindSecurityGroup, s.SecurityGroups, c.GetSecurityGroup),
		simcloud.KindTargetGroup:    sameEncoded(t, c, simcloud.KindTargetGroup, s.TargetGroups, c.GetTargetGroup),
		simcloud.KindOperation:      sameEncoded(t, c, simcloud.KindOperation, s.Operations, c.GetOperation),
	}
}

// TestGetEncodedBehind: who is to see the past, or whose read counts, is not
// answered with what is stored now.
func TestGetEncodedBehind(t *testing.T) {
	t.Parallel()
	cloud := open(t, core.Config{Clock: newFakeClock()})
	for name, ctx := range map[string]context.Context{
		"stale":  behind(t.Context(), time.Second),
		"hidden": simcloud.WithOverride(t.Context(), simcloud.Override{Reading: simcloud.Reading{HideNew: simcloud.Duration(time.Second)}}),
	} {
		if got, ok, err := cloud.GetEncoded(ctx, simcloud.KindZone, "zone-a"); ok || got.JSON != nil || err != nil {
			t.Errorf("%s: %s, %v, %v", name, got.JSON, ok, err)
		}
	}
	if _, ok, _ := cloud.GetEncoded(t.Context(), simcloud.KindZone, "zone-a"); !ok {
		t.Error("a zone is not answered as it is stored")
	}
	polls := pollsOf(2)
	must[simcloud.Config](t)(cloud.UpdateConfig(t.Context(), simcloud.ConfigUpdate{Progression: &polls}))
	made := must[simcloud.Result[simcloud.Instance]](t)(cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "n"}))
	if _, ok, _ := cloud.GetEncoded(t.Context(), simcloud.KindInstance, made.Resource.ID); ok {
		t.Error("a read that counts is answered as it is stored")
	}
}

// TestGetEncodedOfFormerFile: what former releases have stored is answered as
// this one writes it.
func TestGetEncodedOfFormerFile(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v1", "v2"} {
		cloud := openFormer(t, formerFile(t, version), formerState(t, version))
		answered := 0
		for _, n := range (&player{T: t, Cloud: cloud}).answeredAsStored() {
			answered += n
		}
		if answered < 10 {
			t.Errorf("%s: %d resources were answered as they are stored", version, answered)
		}
	}
}
