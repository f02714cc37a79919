package existing

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/backendtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestNamesOfProduction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ context, cluster, server, refused string }{
		{"kind-dev", "kind-dev", "https://127.0.0.1:6443", ""},
		{"products", "reproduction", "https://delivery.example.org", ""},
		{"prod", "x", "https://127.0.0.1", "prod"},
		{"eu-PROD2", "x", "https://127.0.0.1", "prod2"},
		{"x", "shop_production", "https://127.0.0.1", "production"},
		{"x", "x", "https://api.live.example.org:6443", "live"},
		{"x", "x", "https://1234.gr7.eu-west-1.eks.amazonaws.com", "cluster of a cloud"},
		{"x", "x", "https://mine-dns-1.hcp.westeurope.AZMK8S.io:443", "cluster of a cloud"},
		{"x", "x", "https://1234.sk1.cn-north-1.eks.amazonaws.com.cn", "cluster of a cloud"},
		{"x", "x", "1234.gr7.eu-west-1.eks.amazonaws.com:443", "cluster of a cloud"},
		{"x", "x", "https://mine.azmk8s.io.:443", "cluster of a cloud"},
		{"gke_mine_europe-west1_dev", "x", "https://34.1.2.3", "cluster of a cloud"},
		{"lab", "gke_mine_europe-west1_dev", "https://34.1.2.3", "cluster of a cloud"},
		{"x", "x", "https://rancher.example.org/k8s/clusters/PROD", "prod"},
		{"x", "admin@prod", "https://127.0.0.1", "prod"},
	} {
		err := target{context: c.context, cluster: c.cluster, access: &rest.Config{Host: c.server}}.check(c.context)
		if c.refused == "" {
			if err != nil {
				t.Errorf("%s: %v, want it to be accepted", c.context, err)
			}
			continue
		}
		if !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s at %s: %v, want Invalid with %q", c.context, c.server, err, c.refused)
		}
	}
}

func TestUserOfProduction(t *testing.T) {
	t.Parallel()
	err := target{context: "x", user: "prod-admin", access: &rest.Config{Host: "https://127.0.0.1"}}.check("x")
	if !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "the name of its user") {
		t.Errorf("got %v, want that it is refused", err)
	}
}

// TestRecordedFiles: a kubeconfig that was named from one folder is found again from another.
func TestRecordedFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(twoContexts), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(file))
	for _, variable := range []string{"", "kubeconfig"} {
		t.Setenv("KUBECONFIG", variable)
		named := "kubeconfig"
		if variable != "" {
			named = ""
		}
		got, err := loadTarget(named, "")
		if err != nil || !slices.Equal(got.files, []string{file}) {
			t.Errorf("KUBECONFIG=%q: %v, %v; want %s", variable, got.files, err, file)
		}
	}
}

const twoContexts = `
apiVersion: v1
kind: Config
current-context: kind-dev
clusters: [{name: one, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: admin, user: {token: secret}}]
contexts:
- {name: kind-dev, context: {cluster: one, user: admin}}
- {name: other, context: {cluster: one, user: admin}}
`

func TestConfirmation(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(twoContexts), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ context, confirm, refused string }{
		{"", "kind-dev", ""},
		{"other", "other", ""},
		{"", "", "give --confirm-context kind-dev"},
		{"other", "kind-dev", "they must be equal"},
		{"", "other", "they must be equal"},
		{"third", "third", "is not one of: kind-dev, other"},
	} {
		_, err := New(Config{Kubeconfig: file, Context: c.context, Confirm: c.confirm, Run: "r", Records: t.TempDir()})
		if c.refused == "" && err != nil || c.refused != "" && (!errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := New(Config{Kubeconfig: file + "-not-there", Confirm: "kind-dev", Run: "r", Records: t.TempDir()}); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("without a file: %v, want Invalid", err)
	}
}

// TestCapabilities: nothing is removed but what carries the run's mark.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	can := (&Backend{run: "run-1"}).Capabilities()
	backendtest.Consistent(t, can)
	if can.SharedCluster == nil || can.SharedCluster.Mark.Selector() != LabelRun+"=run-1" {
		t.Errorf("the capabilities are %+v", can)
	}
}
