package deploy_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	cloudproviderapi "k8s.io/cloud-provider/api"
	"k8s.io/klog/v2"

	configpkg "github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/deploy"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// migrating is what an operator writes to have the component.
const migrating = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../daemonset]
components: [../leader-migration]
`

// kubectl runs the kubectl of the control plane's binary.
func kubectl(t *testing.T, args ...string) []byte {
	t.Helper()
	kube := planetest.Kube(t)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), kube, append([]string{"kubectl"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

// unpack writes the embedded folders, and one that an operator could write, where kubectl finds them.
func unpack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, deploy.Files()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "migrating"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "migrating", "kustomization.yaml"), []byte(migrating), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// build returns the objects of a folder.
func build(t *testing.T, dir, folder string) []runtime.Object {
	t.Helper()
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(kubectl(t, "kustomize", filepath.Join(dir, folder)))))
	var objects []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", folder, err, document)
		}
		objects = append(objects, object)
	}
}

// pod returns what runs, the only one of its folder, and of which kind it is.
func pod(t *testing.T, objects []runtime.Object) (kind string, template corev1.PodTemplateSpec) {
	t.Helper()
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			kind, template = kind+"Deployment", o.Spec.Template
		case *appsv1.DaemonSet:
			kind, template = kind+"DaemonSet", o.Spec.Template
		}
	}
	return kind, template
}

func TestFolders(t *testing.T) {
	t.Parallel()
	dir := unpack(t)
	for _, c := range []struct{ folder, kind, args string }{
		{"base", "", ""},
		{"deployment", "Deployment", ""},
		{"daemonset", "DaemonSet", ""},
		{"example", "Deployment", ""},
		{"migrating", "DaemonSet", "--enable-leader-migration"},
	} {
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			objects := build(t, dir, c.folder)
			kind, template := pod(t, objects)
			if kind != c.kind {
				t.Fatalf("it runs %q, want %q", kind, c.kind)
			}
			if c.kind == "" {
				return
			}
			container := template.Spec.Containers[0]
			if args := strings.Join(container.Args[3:], " "); args != c.args {
				t.Errorf("more arguments %q, want %q", args, c.args)
			}
			checkVolumes(t, objects, template.Spec)
			checkHardened(t, template.Spec)
			checkTolerations(t, template.Spec)
			checkConfig(t, objects)
		})
	}
}

// checkVolumes: what is mounted is there, under its name with the hash.
func checkVolumes(t *testing.T, objects []runtime.Object, spec corev1.PodSpec) {
	t.Helper()
	var names []string
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.ConfigMap:
			names = append(names, o.Name)
		case *corev1.Secret:
			names = append(names, o.Name)
		}
	}
	wanted := []string{
		spec.Volumes[0].ConfigMap.Name, spec.Volumes[1].Secret.SecretName, spec.Containers[0].EnvFrom[0].ConfigMapRef.Name,
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %v", name, names)
		}
	}
}

// checkHardened: it meets the restricted Pod Security Standard but for the
// host's network, which it has to run on.
func checkHardened(t *testing.T, spec corev1.PodSpec) {
	t.Helper()
	own := spec.Containers[0].SecurityContext
	if !*spec.SecurityContext.RunAsNonRoot || *spec.SecurityContext.RunAsUser == 0 || !*own.ReadOnlyRootFilesystem ||
		*own.AllowPrivilegeEscalation || !slices.Equal(own.Capabilities.Drop, []corev1.Capability{"ALL"}) ||
		spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the security contexts are %v and %v", spec.SecurityContext, own)
	}
	live, ready := spec.Containers[0].LivenessProbe.HTTPGet.Path, spec.Containers[0].ReadinessProbe.HTTPGet.Path
	if live != "/healthz?exclude=cloud" || ready != "/healthz" {
		t.Errorf("probes of %s and %s: a cloud that is away must make it unready, and not kill it", live, ready)
	}
}

// checkTolerations: it can be scheduled to a control plane node that has every
// taint which goes only when it runs. Without one of them a cluster could wait for ever.
func checkTolerations(t *testing.T, spec corev1.PodSpec) {
	t.Helper()
	for _, taint := range []corev1.Taint{
		{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule},
		{Key: cloudproviderapi.TaintExternalCloudProvider, Value: "true", Effect: corev1.TaintEffectNoSchedule},
		{Key: cloudproviderapi.TaintNodeShutdown, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
	} {
		if !slices.ContainsFunc(spec.Tolerations, func(each corev1.Toleration) bool { return each.ToleratesTaint(klog.Background(), &taint, false) }) {
			t.Errorf("it does not tolerate %s", taint.ToString())
		}
	}
}

// checkConfig: the provider takes the cloud config.
func checkConfig(t *testing.T, objects []runtime.Object) {
	t.Helper()
	for _, object := range objects {
		config, ok := object.(*corev1.ConfigMap)
		if !ok || config.Data["cloud-config.yaml"] == "" {
			continue
		}
		if _, err := configpkg.Parse("cloud-config.yaml", []byte(config.Data["cloud-config.yaml"])); err != nil {
			t.Error(err)
		}
		return
	}
	t.Error("no ConfigMap has a cloud config")
}
