package nodeimage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/kind/nodeimage"
)

// settings are those of a cluster on hosts that are not all they could be:
// with version 1 of cgroups, and without the right to lower scores of processes.
const settings = `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
networking: {disableDefaultCNI: true}
nodes: [{role: control-plane}, {role: worker}]
kubeadmConfigPatches:
- |
  kind: KubeletConfiguration
  failCgroupV1: false
  oomScoreAdj: 0
`

// network is a CNI configuration for one node, in the place of its pod CIDR.
const network = `{"cniVersion": "0.4.0", "name": "test", "plugins": [
  {"type": "ptp", "ipMasq": true, "ipam": {"type": "host-local", "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}`

// TestCluster makes a cluster of the image by kind's library alone, as others
// would: its nodes become ready, and the pods of its system run, which takes
// each program and each image that was built.
func TestCluster(t *testing.T) {
	if os.Getenv("SIMCLOUD_KIND") != "1" || os.Getenv("SIMCLOUD_NIGHTLY") != "1" {
		t.Skip("takes a container engine, and is left to the nightly gate: make kind-nightly sets SIMCLOUD_KIND=1 and SIMCLOUD_NIGHTLY=1")
	}
	e, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	image, err := nodeimage.Build(t.Context(), nodeimage.Options{Progress: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := nodeimage.Load(t.Context(), image, e, nil); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("nodeimage-%d", os.Getpid())
	provider := cluster.NewProvider(e.Provider())
	removeDead(t, e, provider)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	t.Setenv(e.NetworkVariable(), name) // or else kind makes one that it never removes
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := errors.Join(provider.Delete(name, kubeconfig), e.RemoveNetwork(ctx, name)); err != nil {
			t.Error(err)
		}
	})
	began := time.Now()
	if err := provider.Create(name, cluster.CreateWithNodeImage(image.Ref), cluster.CreateWithRawConfig([]byte(settings)),
		cluster.CreateWithKubeconfigPath(kubeconfig), cluster.CreateWithWaitForReady(0)); err != nil {
		t.Fatal(err)
	}
	t.Logf("created in %s", time.Since(began).Round(time.Second))

	c := testCluster{t, e, name + "-control-plane"}
	c.connectPods(name+"-control-plane", name+"-worker")
	c.kubectl("wait", "nodes", "--all", "--for=condition=Ready", "--timeout=120s")
	t.Logf("nodes ready after %s", time.Since(began).Round(time.Second))
	c.kubectl("-n", "kube-system", "wait", "pods", "--all", "--for=condition=Ready", "--timeout=120s")
	t.Logf("pods ready after %s", time.Since(began).Round(time.Second))

	images := c.kubectl("get", "pods", "-A", "-o", "jsonpath={..image}")
	for _, program := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "coredns"} {
		if !strings.Contains(images, "/"+program+":") {
			t.Errorf("nothing runs %s: %s", program, images)
		}
	}
	c.checkPods()
	nodes, err := provider.ListNodes(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nodeutils.KubeVersion(nodes[0]); err != nil {
		t.Error(err)
	}
}

// removeDead removes the clusters of runs of the test that were killed.
func removeDead(t *testing.T, e *engine.Engine, provider *cluster.Provider) {
	t.Helper()
	names, err := provider.List()
	for _, name := range names {
		number, ours := strings.CutPrefix(name, "nodeimage-")
		pid, unnumbered := strconv.Atoi(number)
		if !ours || unnumbered != nil || pid != os.Getpid() && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		err = errors.Join(err, provider.Delete(name, filepath.Join(t.TempDir(), "kubeconfig")), e.RemoveNetwork(t.Context(), name))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// testCluster is used from within its control plane's node.
type testCluster struct {
	t            *testing.T
	engine       *engine.Engine
	controlPlane string
}

func (c testCluster) kubectl(args ...string) string {
	c.t.Helper()
	return c.exec(c.controlPlane, "", append([]string{"kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"}, args...)...)
}

func (c testCluster) exec(node, stdin string, argv ...string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Minute)
	defer cancel()
	out, err := c.engine.Exec(ctx, node, strings.NewReader(stdin), argv...)
	if err != nil {
		c.t.Fatalf("%s: %v", strings.Join(argv, " "), err)
	}
	return string(out)
}

// connectPods gives the nodes a network for pods, which the image does not contain.
func (c testCluster) connectPods(nodes ...string) {
	c.t.Helper()
	for _, node := range nodes {
		c.kubectl("wait", "node/"+node, "--for=jsonpath={.spec.podCIDR}", "--timeout=60s")
		cidr := c.kubectl("get", "node", node, "-o", "jsonpath={.spec.podCIDR}")
		c.exec(node, fmt.Sprintf(network, cidr), "cp", "/dev/stdin", "/etc/cni/net.d/10-test.conflist")
	}
}

// checkPods asks through a Service's address, which kube-proxy's rules lead
// elsewhere, and through CoreDNS: from a pod's network namespace, by the node's curl.
func (c testCluster) checkPods() {
	c.t.Helper()
	address := c.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
	version := c.exec(c.controlPlane, "", "curl", "-sk", "--max-time", "10", "https://"+address+"/version")
	if !strings.Contains(version, "gitVersion") {
		c.t.Errorf("the Service of the API server answers %q", version)
	}
}
