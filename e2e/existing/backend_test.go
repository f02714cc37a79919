package existing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(envCrash); file != "" {
		crash(file, os.Getenv(envRecords))
	}
	os.Exit(m.Run())
}

// theirs is a user's own cluster, with Nodes and work in it.
type theirs struct {
	kube       kubernetes.Interface
	kubeconfig string
}

func startTheirs(t *testing.T) theirs {
	t.Helper()
	kube := planetest.Kube(t)
	planetest.Slot(t)
	dir := t.TempDir()
	plane, err := embedded.New(embedded.Config{Dir: filepath.Join(dir, "kube"), Kube: kube})
	if err != nil {
		t.Fatal(err)
	}
	access, err := plane.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	own := theirs{kube: kubernetes.NewForConfigOrDie(access), kubeconfig: filepath.Join(dir, "theirs.kubeconfig")}
	writeContext(t, own.kubeconfig, access)
	own.fill(t)
	return own
}

// writeContext writes the user's kubeconfig: its context is called "dev".
func writeContext(t *testing.T, path string, access *rest.Config) {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["dev"] = &clientcmdapi.Cluster{Server: access.Host, CertificateAuthority: access.CAFile, CertificateAuthorityData: access.CAData}
	config.AuthInfos["me"] = &clientcmdapi.AuthInfo{
		ClientCertificate: access.CertFile, ClientKey: access.KeyFile, ClientCertificateData: access.CertData, ClientKeyData: access.KeyData,
	}
	config.Contexts["dev"] = &clientcmdapi.Context{Cluster: "dev", AuthInfo: "me"}
	config.CurrentContext = "dev"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
}

// fill makes what a user has in the cluster: a Node with pods, a namespace with work.
func (o theirs) fill(t *testing.T) {
	t.Helper()
	ctx, always := t.Context(), metav1.CreateOptions{}
	replicas, labels := int32(1), map[string]string{"app": "shop"}
	_, err := o.kube.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs"}, Spec: corev1.NodeSpec{ProviderID: "kind://docker/dev/theirs"},
	}, always)
	errs := []error{err}
	_, err = o.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, always)
	errs = append(errs, err)
	_, err = o.kube.AppsV1().Deployments("shop").Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Finalizers: []string{"example.org/mine"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "shop", Image: "shop"}}},
			},
		},
	}, always)
	errs = append(errs, err)
	_, err = o.kube.CoreV1().Services("default").Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}},
	}, always)
	errs = append(errs, err)
	_, err = o.kube.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, always)
	if err := errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "their Node has a pod range", func(ctx context.Context) (bool, error) {
		node, err := o.kube.CoreV1().Nodes().Get(ctx, "theirs", metav1.GetOptions{})
		return err == nil && node.Spec.PodCIDR != "", err
	})
	waittest.For(t, "the cluster's own controllers have made what they make", func(ctx context.Context) (bool, error) { return o.settled(ctx) })
}

// settled: the API server has made what it makes after its start, each namespace has
// what the controller manager puts there, and the work its ReplicaSet.
func (o theirs) settled(ctx context.Context) (bool, error) {
	if err := o.apiServerSettled(ctx); err != nil {
		return false, err
	}
	spaces, err := o.kube.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, ns := range spaces.Items {
		_, account := o.kube.CoreV1().ServiceAccounts(ns.Name).Get(ctx, "default", metav1.GetOptions{})
		_, authority := o.kube.CoreV1().ConfigMaps(ns.Name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		if err := errors.Join(account, authority); err != nil {
			return false, err
		}
	}
	sets, err := o.kube.AppsV1().ReplicaSets("shop").List(ctx, metav1.ListOptions{})
	return err == nil && len(sets.Items) == 1, err
}

// apiServerSettled answers nil when all is there that an API server makes without being asked.
func (o theirs) apiServerSettled(ctx context.Context) error {
	core, get := o.kube.CoreV1(), metav1.GetOptions{}
	_, err := core.Services("default").Get(ctx, "kubernetes", get)
	errs := []error{err}
	for _, name := range []string{"kube-system", "kube-public", "kube-node-lease"} {
		_, err := core.Namespaces().Get(ctx, name, get)
		errs = append(errs, err)
	}
	for _, name := range []string{"kube-apiserver-legacy-service-account-token-tracking", "extension-apiserver-authentication"} {
		_, err := core.ConfigMaps("kube-system").Get(ctx, name, get)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// inventory names all that is in the cluster, but for what comes and goes by
// itself: events, and pods that wait for a Node that reports.
func (o theirs) inventory(t *testing.T) []string {
	t.Helper()
	ctx, all := t.Context(), metav1.ListOptions{}
	var found []string
	add := func(kind string, labels map[string]string, object metav1.Object) {
		found = append(found, fmt.Sprintf("%s %s/%s %s %v", kind, object.GetNamespace(), object.GetName(), object.GetUID(), labels))
	}
	core, rbac := o.kube.CoreV1(), o.kube.RbacV1()
	for _, list := range []func() error{
		func() error { return each(core.Nodes().List(ctx, all))("node", add) },
		func() error { return each(core.Namespaces().List(ctx, all))("namespace", add) },
		func() error { return each(core.Services("").List(ctx, all))("service", add) },
		func() error { return each(core.ConfigMaps("").List(ctx, all))("configmap", add) },
		func() error { return each(core.Secrets("").List(ctx, all))("secret", add) },
		func() error { return each(core.ServiceAccounts("").List(ctx, all))("serviceaccount", add) },
		func() error { return each(core.PersistentVolumes().List(ctx, all))("volume", add) },
		func() error { return each(o.kube.AppsV1().Deployments("").List(ctx, all))("deployment", add) },
		func() error { return each(o.kube.AppsV1().ReplicaSets("").List(ctx, all))("replicaset", add) },
		func() error {
			return each(o.kube.CoordinationV1().Leases("kube-node-lease").List(ctx, all))("lease", add)
		},
		func() error { return each(rbac.ClusterRoles().List(ctx, all))("clusterrole", add) },
		func() error { return each(rbac.ClusterRoleBindings().List(ctx, all))("clusterrolebinding", add) },
		func() error { return each(rbac.Roles("").List(ctx, all))("role", add) },
		func() error { return each(rbac.RoleBindings("").List(ctx, all))("rolebinding", add) },
	} {
		if err := list(); err != nil {
			t.Fatal(err)
		}
	}
	return found
}
