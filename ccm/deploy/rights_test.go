package deploy_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/deploy"
	volumepkg "github.com/simcloud-dev/simcloud/ccm/volume"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/machine"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestRights applies the manifests to a real API server and has the provider do
// all that it does: no call is forbidden, and every verb that is granted is used.
func TestRights(t *testing.T) {
	t.Setenv("KUBE_FEATURE_WatchListClient", "false") // as with an API server that cannot stream lists
	c, auditLog := start(t)
	applied(t, c)
	if err := c.CCM.Configure(control.Settings{Flags: append([]string{"--leader-elect=true", "--authorization-kubeconfig={kubeconfig}"}, longLease...)}); err != nil {
		t.Fatal(err)
	}
	if err := c.CCM.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	stays, goes := hollowNode(t, c, "stays"), hollowNode(t, c, "goes")
	service(t, c)
	volume(t, c)
	scrape(t, c)
	if _, err := c.Cloud.StopInstance(t.Context(), stays); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Cloud.DeleteInstance(t.Context(), goes); err != nil {
		t.Fatal(err)
	}

	granted := rights(readAccess(t))
	var used, forbidden map[string]bool
	complete := func() []string {
		used, forbidden = audited(t, auditLog)
		return slices.DeleteFunc(slices.Clone(granted), func(right string) bool { return used[right] })
	}
	awaitNone(t, "every right is used", complete)
	if len(forbidden) > 0 {
		t.Errorf("rights that are missing: %v", forbidden)
	}
	for right := range used {
		if !slices.Contains(granted, right) && !byOthers(right) {
			t.Errorf("%s is used, and the manifests do not grant it", right)
		}
	}
}

// applied has the API server hold all folders against its own schema, and keeps the access of the base.
func applied(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	dir := unpack(t)
	strict := []string{"--kubeconfig", c.Kubeconfig, "apply", "--server-side", "--force-conflicts", "--validate=strict"}
	for _, folder := range []string{"deployment", "daemonset", "example", "migrating"} {
		kubectl(t, append(slices.Clone(strict), "--dry-run=server", "-k", filepath.Join(dir, folder))...)
	}
	kubectl(t, append(strict, "-k", filepath.Join(dir, "base"))...)
}

// hollowNode makes an instance that is a hollow node, and returns it when its Node is initialised.
func hollowNode(t *testing.T, c *e2e.Cluster, name string) simcloud.ID {
	t.Helper()
	made, err := c.Cloud.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name, Labels: map[string]string{machine.LabelNode: machine.NodeHollow}})
	if err != nil {
		t.Fatal(err)
	}
	waittest.For(t, name+" is initialised", func(ctx context.Context) (bool, error) {
		node, err := c.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		return err == nil && node.Spec.ProviderID != "", err
	})
	return made.Resource.ID
}

// service makes a Service with a load balancer, and changes it until its Events repeat themselves.
func service(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	createService(t, c)
	services := c.Kube.CoreV1().Services("default")
	for i := range 2 {
		waittest.For(t, "web has an address", func(ctx context.Context) (bool, error) {
			svc, err := services.Get(ctx, "web", metav1.GetOptions{})
			return err == nil && len(svc.Status.LoadBalancer.Ingress) > 0, err
		})
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"service.simcloud.dev/idle-timeout":"%ds"}}}`, 60+i)
		if _, err := services.Patch(t.Context(), "web", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func createService(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	_, err := c.Kube.CoreV1().Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// volume makes a PersistentVolume of a volume of the cloud.
func volume(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	zones, err := c.Cloud.ListZones(t.Context(), simcloud.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Cloud.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "data", SizeGiB: 1, Zone: zones.Items[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Kube.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: volumepkg.Driver, VolumeHandle: string(made.Resource.ID)},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// scrape asks for the metrics as a client that the provider does not know: it asks the API server.
func scrape(t *testing.T, c *e2e.Cluster) {
	t.Helper()
	token, err := c.Kube.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("https://127.0.0.1:%d/metrics", c.CCM.SecurePort())
	anyone := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer anyone.CloseIdleConnections()
	waittest.For(t, "the default ServiceAccount is known, and not allowed to read the metrics", func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		req.Header.Set("Authorization", "Bearer "+token.Status.Token)
		res, err := anyone.Do(req)
		if err != nil {
			return false, err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			return false, fmt.Errorf("it answers %d", res.StatusCode)
		}
		return true, nil
	})
}

// rights are the verbs on resources that the manifests grant by their own roles.
func rights(a deploy.Access) []string {
	var all []string
	for _, rule := range slices.Concat(a.ClusterRole.Rules, a.Role.Rules) {
		all = append(all, rightsOf(rule)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func rightsOf(rule rbacv1.PolicyRule) []string {
	var all []string
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				all = append(all, right(verb, group, resource))
			}
		}
	}
	return all
}

func right(verb, group, resource string) string {
	return verb + " " + resource + "." + cmp.Or(group, "core")
}

// byOthers are the rights of roles that Kubernetes itself has: those that the bindings name, and those of all users.
func byOthers(right string) bool {
	return slices.Contains([]string{
		"create tokenreviews.authentication.k8s.io", "create subjectaccessreviews.authorization.k8s.io",
		"get configmaps.core", "list configmaps.core", "watch configmaps.core",
	}, right)
}

// audited returns what the provider asked of the API server, and what of it was forbidden.
func audited(t *testing.T, path string) (used, forbidden map[string]bool) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used, forbidden = map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(raw[:bytes.LastIndexByte(raw, '\n')+1]))
	lines.Buffer(nil, len(raw)+1)
	for lines.Scan() {
		var event struct {
			Verb           string
			ObjectRef      *struct{ Resource, Subresource, APIGroup string }
			ResponseStatus struct{ Code int }
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		if event.ObjectRef == nil { // discovery, which all users may call
			continue
		}
		name := strings.TrimSuffix(event.ObjectRef.Resource+"/"+event.ObjectRef.Subresource, "/")
		into := used
		if event.ResponseStatus.Code == http.StatusForbidden {
			into = forbidden
		}
		into[right(event.Verb, event.ObjectRef.APIGroup, name)] = true
	}
	return used, forbidden
}

// awaitNone waits until a list is empty; when it does not become so, it says what is left.
func awaitNone(t *testing.T, what string, left func() []string) {
	t.Helper()
	var rest []string
	defer func() {
		if len(rest) > 0 {
			t.Errorf("%s, but: %v", what, rest)
		}
	}()
	waittest.For(t, what, func(context.Context) (bool, error) {
		rest = left()
		return len(rest) == 0, nil
	})
}
