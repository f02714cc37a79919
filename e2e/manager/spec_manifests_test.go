package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

const foreignWorkload = `apiVersion: apps/v1
kind: Deployment
metadata: {name: acme-ccm, namespace: kube-system}
spec:
  selector: {matchLabels: {app: acme, tier: control}}
  template:
    metadata: {labels: {app: acme, tier: control}}
    spec:
      containers:
      - {name: manager, image: "{image}", args: ["--cloud={endpoint}", --secure-port=10999]}
`

// manifestsOf writes files of manifests into a folder.
func manifestsOf(t *testing.T, files map[string]string) Manifests {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Manifests{Dir: dir}
}

// TestManifestsAreRead: all files count, in their order, with what stands for placeholders.
func TestManifestsAreRead(t *testing.T) {
	t.Parallel()
	m := manifestsOf(t, map[string]string{
		"2.yaml": foreignWorkload, "1.yml": "# nothing but a comment\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: token}\nstringData: {token: \"{token}\"}\n", "notes.txt": "x",
	})
	objects, err := m.read(map[string]string{phImage: "acme:1", phToken: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) != 2 || objects[0].GetKind() != "Secret" || objects[0].Object["stringData"].(map[string]any)["token"] != "s3cret" {
		t.Fatalf("read %v", objects)
	}
	found, object, err := workloadOf(objects)
	if err != nil {
		t.Fatal(err)
	}
	if found.kind != kindDeployment || found.name != "acme-ccm" || found.selector != "app=acme,tier=control" || found.port != 10999 || found.container != "manager" {
		t.Errorf("the workload is %+v", found)
	}
	m.Image = ociimage.Named{Name: "acme:1", Archive: "image.tar"}
	if err := m.adapt(object, []string{"--v=5"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"nodeSelector": map[string]any{"node-role.kubernetes.io/control-plane": ""},
		"containers": []any{map[string]any{
			"name": "manager", "image": "acme:1", "imagePullPolicy": "Never", "args": []any{"--cloud={endpoint}", "--secure-port=10999", "--v=5"},
		}},
	}
	if diff := cmp.Diff(want, object.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"]); diff != "" {
		t.Errorf("its pods (-want +got):\n%s", diff)
	}
}

// TestManifestsOfAList: the items of a List count as if each were a document, as kubectl has it.
func TestManifestsOfAList(t *testing.T) {
	t.Parallel()
	item := "- " + strings.ReplaceAll(strings.TrimSpace(foreignWorkload), "\n", "\n  ") + "\n"
	m := manifestsOf(t, map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems:\n" +
		"- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: acme}}\n" + item})
	m.Image.Name = "acme:1"
	if err := m.check(); err != nil {
		t.Error(err)
	}
	objects, err := m.read(nil)
	if err != nil || len(objects) != 2 || objects[0].GetKind() != "ClusterRole" || objects[1].GetName() != "acme-ccm" {
		t.Errorf("read %v, %v", objects, err)
	}
}

func TestManifestsAreRefused(t *testing.T) {
	t.Parallel()
	change := func(old, by string) string { return strings.Replace(foreignWorkload, old, by, 1) }
	for says, files := range map[string]map[string]string{
		"there is no .yaml file":                                                   {"notes.txt": foreignWorkload},
		"neither a Deployment nor a DaemonSet":                                     {"a.yaml": change("Deployment", "StatefulSet")},
		"are two workloads":                                                        {"a.yaml": foreignWorkload, "b.yaml": change("kind: Deployment", "kind: DaemonSet")},
		`is in the namespace "default": must be in kube-system`:                    {"a.yaml": change("kube-system", "default")},
		"chooses no pods of its own":                                               {"a.yaml": change("{matchLabels: {app: acme, tier: control}}", "{}")},
		"{image}, which is not set":                                                {"a.yaml": foreignWorkload},
		"a.yaml: unknown placeholder {credential:hclod}: the cloud has no dialect": {"a.yaml": change("{endpoint}", "{credential:hclod}")},
		"has no container":                                                         {"a.yaml": foreignWorkload[:strings.Index(foreignWorkload, "      - {name")]},
		"a.yaml: read the manifests: yaml: line 1: did not find":                   {"a.yaml": "a: [b\n"},
		"a.yaml: read the manifests: yaml: line 1: the object has no kind":         {"a.yaml": "metadata: {name: a}\n"},
		`Deploy acme-ccm: Kubernetes has no kind "Deploy" in apps/v1`:              {"a.yaml": change("kind: Deployment", "kind: Deploy")},
		"kustomization.yaml is for kustomize":                                      {"a.yaml": foreignWorkload, "kustomization.yaml": "resources: [a.yaml]\n"},
		"a.yaml: read the manifests: yaml: line 1: a Kustomization is no object":   {"a.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n"},
	} {
		if err := manifestsOf(t, files).check(); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "--ccm-manifests") {
			t.Errorf("%v, want Invalid that says %q", err, says)
		}
	}
	m := manifestsOf(t, map[string]string{"a.yaml": foreignWorkload})
	m.Image.Name = "acme:1"
	if err := m.check(); err != nil {
		t.Error(err)
	}
	subject := InCluster("acme", manifestsOf(t, map[string]string{"a.yaml": foreignWorkload}))
	if err := (Place{Backend: "plane-only"}).Check(subject); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "the backend plane-only has none") {
		t.Errorf("on a backend that runs no images: %v", err)
	}
}

// TestDocumentedManifests: the manifests that the page on testing shows can be run.
func TestDocumentedManifests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "testing-your-ccm.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "\n## An image\n")
	_, after, _ = strings.Cut(after, "```yaml\n")
	text, _, _ := strings.Cut(after, "```")
	m := manifestsOf(t, map[string]string{"a.yaml": text})
	m.Image.Name = "my-ccm:dev"
	if err := m.check(); err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
	for _, placeholder := range ManifestPlaceholders() {
		if !strings.Contains(string(page), "`"+placeholder+"`") {
			t.Errorf("the page does not tell of %s", placeholder)
		}
	}
	for _, placeholder := range Placeholders() {
		if !strings.Contains(string(page), "`"+placeholder+"`") {
			t.Errorf("the page does not tell of %s", placeholder)
		}
	}
}
