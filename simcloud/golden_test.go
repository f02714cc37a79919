package simcloud_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenJSON pins the wire form of every type: a changed name or a dropped
// field breaks clients and data files.
func TestGoldenJSON(t *testing.T) {
	for _, v := range []any{
		simcloud.Region{}, simcloud.RegionSpec{}, simcloud.Zone{}, simcloud.ZoneSpec{},
		simcloud.InstanceType{}, simcloud.InstanceTypeSpec{}, simcloud.Network{}, simcloud.NetworkSpec{},
		simcloud.Instance{}, simcloud.InstanceSpec{}, simcloud.InstanceUpdate{},
		simcloud.LoadBalancer{}, simcloud.LoadBalancerSpec{}, simcloud.LoadBalancerUpdate{}, simcloud.NetworkAttachment{},
		simcloud.ListenerSpec{}, simcloud.ListenerConfig{}, simcloud.TargetSpec{},
		simcloud.FloatingIP{}, simcloud.FloatingIPSpec{}, simcloud.FloatingIPUpdate{}, simcloud.Attachment{},
		simcloud.RouteTable{}, simcloud.RouteTableSpec{}, simcloud.RouteTableUpdate{}, simcloud.RouteSpec{},
		simcloud.Operation{}, simcloud.Project{}, simcloud.Event{}, simcloud.JournalEntry{},
		simcloud.ProjectSpec{}, simcloud.ProjectUpdate{}, simcloud.Token{}, simcloud.TokenSpec{}, simcloud.TokenRotation{},
		simcloud.Quota{}, simcloud.QuotaSpec{}, simcloud.ZoneUpdate{}, simcloud.ZoneStateSpec{},
		simcloud.Subnet{}, simcloud.SubnetSpec{}, simcloud.AddressSpec{},
		simcloud.InstanceRebuild{}, simcloud.InstanceResize{}, simcloud.InstanceMigration{},
		simcloud.Volume{}, simcloud.VolumeSpec{}, simcloud.VolumeUpdate{}, simcloud.VolumeAttachment{}, simcloud.VolumeResize{},
		simcloud.SSHKey{}, simcloud.SSHKeySpec{}, simcloud.SSHKeyUpdate{}, simcloud.SSHKeyTargets{},
		simcloud.FloatingIPPool{}, simcloud.FloatingIPPoolSpec{},
		simcloud.Cluster{}, simcloud.ClusterSpec{}, simcloud.ClusterUpdate{},
		simcloud.Document{}, simcloud.DocumentSpec{}, simcloud.DocumentUpdate{}, simcloud.NetworkUpdate{}, simcloud.SubnetUpdate{},
		simcloud.SecurityGroup{}, simcloud.SecurityGroupSpec{}, simcloud.SecurityGroupUpdate{},
		simcloud.TargetGroup{}, simcloud.TargetGroupSpec{}, simcloud.TargetGroupUpdate{}, simcloud.GroupTargets{},
		simcloud.SecurityGroupRules{}, simcloud.SecurityGroupRuleIDs{},
		simcloud.Config{}, simcloud.ConfigUpdate{}, simcloud.Snapshot{}, simcloud.SnapshotSpec{}, simcloud.SnapshotDiff{},
		simcloud.Topology{}, simcloud.SeedReport{}, simcloud.DataPlane{},
		simcloud.ClockSpec{}, simcloud.ClockStatus{}, simcloud.ClockAdvance{}, simcloud.FieldError{},
		simcloud.Page[simcloud.Region]{}, simcloud.Result[simcloud.Region]{},
	} {
		typ := reflect.TypeOf(v)
		name := strings.NewReplacer("[", "-", "]", "", "github.com/simcloud-dev/simcloud/simcloud.", "").Replace(typ.Name())
		t.Run(name, func(t *testing.T) {
			filled := reflect.New(typ)
			fill(filled.Elem(), "")
			got, err := json.MarshalIndent(filled.Interface(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, filepath.Join("testdata", name+".json"), append(got, '\n'))

			back := reflect.New(typ)
			if err := json.Unmarshal(got, back.Interface()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(filled.Interface(), back.Interface()); diff != "" {
				t.Errorf("read back (-written +read):\n%s", diff)
			}
		})
	}
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: it would bless whatever is there")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./simcloud -run TestGoldenJSON -update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// fill gives every field of v a value that is not zero, so that omitempty hides none.
func fill(v reflect.Value, name string) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{}`)))
		return
	case simcloud.Duration:
		v.Set(reflect.ValueOf(simcloud.Duration(90 * time.Second)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.ToLower(name))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, "key")
		fill(value, "value")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(strings.ToLower(name)))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	default:
		panic("no value for " + v.Type().String())
	}
}
