package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestFinish: a process whose lease was given up has to end at once, and only such a one.
func TestFinish(t *testing.T) {
	t.Parallel()
	held := func(fails bool) *lease {
		kube := fake.NewClientset(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "own"},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me")},
		})
		kube.PrependReactor("update", "leases", func(ktesting.Action) (bool, runtime.Object, error) {
			return fails, nil, errors.New("the API server is away")
		})
		return &lease{kube: kube, namespace: metav1.NamespaceSystem, names: []string{"own"}, holder: "me"}
	}
	for _, c := range []struct {
		name  string
		lease *lease
		want  bool
	}{
		{"never led", nil, false},
		{"led", held(false), true},
		{"keeps it", held(true), false},
	} {
		p := &process{}
		p.lease.Store(c.lease)
		if got := p.finish(); got != c.want {
			t.Errorf("%s: finish = %v, want %v", c.name, got, c.want)
		}
	}
}

// envAwaits makes TestFinishAwaitsCalls the process that is to end.
const envAwaits = "SIMCLOUD_TEST_AWAITS_CALLS"

// TestFinishAwaitsCalls: a call under way that changes the cloud has its answer
// before the process ends. It is a process of its own, which has metrics only once.
func TestFinishAwaitsCalls(t *testing.T) {
	t.Parallel()
	if os.Getenv(envAwaits) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), envAwaits+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	at, api := simtest.Open(t)
	if _, err := api.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"}); err != nil {
		t.Fatal(err)
	}
	slow, err := api.AddFault(t.Context(), fault.Rule{
		Match:  fault.Match{Operation: "CreateRoute"},
		Effect: fault.Effect{Delay: &fault.Delay{Duration: simcloud.Duration(300 * time.Millisecond)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cloud := openProvider(t, at)
	p := &process{}
	p.cloud.Store(cloud)
	routes, _ := cloud.Routes()
	made := make(chan error, 1)
	go func() {
		made <- routes.CreateRoute(t.Context(), "test", "", &cloudprovider.Route{TargetNode: "node-1", DestinationCIDR: "10.244.1.0/24"})
	}()
	waittest.For(t, "the call is under way", func(ctx context.Context) (bool, error) {
		rule, err := api.GetFault(ctx, slow.ID)
		return rule.Hits > 0, err
	})
	p.finish()
	// A call is recorded when it has ended, before its answer is sent.
	calls, err := api.ListJournal(t.Context(), simcloud.JournalFilter{Operation: "CreateRoute"})
	if err != nil || len(calls) != 1 {
		t.Errorf("%d calls have ended, %v: the process may end before its call has", len(calls), err)
	}
	if err := <-made; err != nil {
		t.Errorf("the call under way: %v", err)
	}
}

// openProvider opens the provider as the process does, with its own config and token.
func openProvider(t *testing.T, at *sim.Cloud) *ccm.Cloud {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"token": at.Token(), "cloud.yaml": "endpoint: " + at.URL() + "\ntokenFile: token\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cloud, err := open(providerid.Scheme, filepath.Join(dir, "cloud.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return cloud
}
