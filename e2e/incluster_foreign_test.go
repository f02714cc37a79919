package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
)

const acmeManifests = `apiVersion: v1
kind: ServiceAccount
metadata: {name: cloud-controller-manager, namespace: kube-system}
---
apiVersion: v1
kind: Secret
metadata: {name: acme-token, namespace: kube-system}
stringData: {token: "{token}"}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: acme-ccm, namespace: kube-system}
spec:
  selector: {matchLabels: {app: acme}}
  template:
    metadata: {labels: {app: acme}}
    spec:
      serviceAccountName: cloud-controller-manager
      hostNetwork: true
      tolerations: [{operator: Exists}]
      containers:
      - {name: manager, image: "{image}", args: ["--cloud={endpoint}", "--cluster-cidr={cluster-cidr}"]}
      - {name: sidecar, image: "acme/proxy:dev"}
`

// TestForeignManifests: a user's own manifests are applied for this cluster,
// and what a scenario does to the CCM is done to their workload.
func TestForeignManifests(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(acmeManifests), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "image.tar")
	if err := os.WriteFile(archive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	under := manager.InCluster("acme", manager.Manifests{Dir: dir, Image: ociimage.Named{Name: "acme/ccm:dev", Archive: archive}})
	c, plane := startSubjectOnPaper(t, "", under)
	ctx := t.Context()
	if !plane.said("plane: ctr --namespace=k8s.io images import") {
		t.Errorf("the image was not imported; there ran %q", plane.ran)
	}
	daemons := c.Kube.AppsV1().DaemonSets("kube-system")
	if _, err := daemons.Get(ctx, "acme-ccm", metav1.GetOptions{}); err == nil {
		t.Error("the workload is there before the start")
	}
	if err := c.CCM.Configure(control.Settings{Flags: []string{"--v=5", "--cluster={cluster-name}"}}); err != nil {
		t.Fatal(err)
	}
	startSubject(t, c)
	workload, err := daemons.Get(ctx, "acme-ccm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	container := workload.Spec.Template.Spec.Containers[0]
	if got, want := strings.Join(container.Args, " "), "--cloud="+c.CloudURL+" --cluster-cidr="+e2e.ClusterCIDR+" --v=5 --cluster="+c.Name; got != want || container.Image != "acme/ccm:dev" {
		t.Errorf("%s runs with %s, want %s", container.Image, got, want)
	}
	secret, err := c.Kube.CoreV1().Secrets("kube-system").Get(ctx, "acme-token", metav1.GetOptions{})
	if err != nil || string(secret.Data["token"]) != strings.TrimSpace(fileToken(t, c)) {
		t.Errorf("the Secret has %q, %v", secret.Data["token"], err)
	}
	if err := c.CCM.Kill(ctx); err != nil {
		t.Fatal(err)
	}
	if !plane.said(`container.name"==manager`) || !plane.said("kill -STOP") || !plane.said("kill -KILL") {
		t.Errorf("its processes were not killed; there ran %q", plane.ran)
	}
	if left, err := daemons.List(ctx, metav1.ListOptions{}); err != nil || len(left.Items) > 0 {
		t.Errorf("%d workloads are left, %v", len(left.Items), err)
	}
}
