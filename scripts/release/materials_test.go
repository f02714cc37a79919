package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// withDependency is a project whose program has a module linked in that is a folder beside the project.
func withDependency(t *testing.T, files map[string]string) string {
	t.Helper()
	root, other := project(t, goreleaser), t.TempDir()
	files["go.mod"] = "module example.com/other\n"
	files["other.go"] = "package other\n\nfunc Do() { println() }\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mod := "module p\n\ngo 1.24\n\nrequire example.com/other v1.0.0\n\nreplace example.com/other => " + other + "\n"
	err := errors.Join(os.WriteFile(filepath.Join(root, "go.mod"), []byte(mod), 0o600),
		os.WriteFile(filepath.Join(root, "cmd", "main.go"), []byte("package main\n\nimport \"example.com/other\"\n\nfunc main() { other.Do() }\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestNotices: an archive has the licences of what is linked into its programs, and Go's own.
func TestNotices(t *testing.T) {
	t.Parallel()
	root, into := withDependency(t, map[string]string{"LICENSE.md": "do as you like\r\n", "NOTICE": "made by others\n", "notice.go": "package other\n"}), t.TempDir()
	made := released(t, "-root", root, "-version", "v1.2.3")
	unpack(t, made[0], into)
	raw, err := os.ReadFile(filepath.Join(into, "p_1.2.3_linux_"+runtime.GOARCH, "NOTICES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\nThe Go standard library\n\nCopyright", "\nexample.com/other\n\ndo as you like\n", "\nexample.com/other\n\nmade by others\n"} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("the notices lack %q:\n%s", part, raw)
		}
	}
	if strings.Contains(string(raw), "package other") {
		t.Errorf("the notices have source code:\n%s", raw)
	}
	var stderr strings.Builder
	if code := run([]string{"-root", withDependency(t, map[string]string{}), "-version", "v1.2.3"}, io.Discard, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "example.com/other: no licence in ") {
		t.Errorf("a module without a licence: exit code %d, %s", code, &stderr)
	}
}

// TestFoldersOf: the sources of a module that was downloaded are found, whatever the case of its name.
func TestFoldersOf(t *testing.T) {
	t.Parallel()
	info, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var modules []module
	for line := range strings.Lines(string(info)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "sigs.k8s.io/yaml" {
			modules = append(modules, module{path: fields[0], version: fields[1]})
		}
	}
	folders, err := foldersOf(t.Context(), modules)
	if err != nil || len(modules) != 1 {
		t.Fatalf("%v: %v", modules, err)
	}
	if _, err := os.Stat(filepath.Join(folders[modules[0]], "LICENSE")); err != nil {
		t.Error(err)
	}
}

// TestBOM: the bill of materials names each program by its sum, and what is linked into it.
func TestBOM(t *testing.T) {
	t.Parallel()
	root := withDependency(t, map[string]string{"LICENSE": "do as you like"})
	made := released(t, "-root", root, "-version", "v1.2.3")
	raw, err := os.ReadFile(made[1])
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(raw, &b); err != nil || b.BOMFormat != "CycloneDX" || b.SpecVersion != "1.5" || b.Metadata.Component.Version != "v1.2.3" {
		t.Fatalf("%v: %s", err, raw)
	}
	refs := map[string]component{b.Metadata.Component.Ref: b.Metadata.Component}
	for _, c := range b.Components {
		if _, twice := refs[c.Ref]; twice {
			t.Errorf("%s stands twice", c.Ref)
		}
		refs[c.Ref] = c
	}
	needs := map[string][]string{}
	for _, d := range b.Dependencies {
		needs[d.Ref] = d.DependsOn
		for _, ref := range append(d.DependsOn, d.Ref) {
			if _, known := refs[ref]; !known {
				t.Errorf("%s is a dependency, and no component", ref)
			}
		}
	}
	sum, err := checksum(filepath.Join(root, "dist", "hello_linux_"+runtime.GOARCH, "hello"))
	if err != nil || !slices.Equal(needs["p"], []string{"p/hello", "p/kube"}) || refs["p/hello"].Hashes[0] != (hash{"SHA-256", sum}) {
		t.Errorf("%v: the programs are %v, with the sum %v", err, needs["p"], refs["p/hello"].Hashes)
	}
	if got := needs["p/hello"]; len(got) != 2 || !strings.HasPrefix(got[0], "pkg:golang/stdlib@1.") || got[1] != "pkg:golang/example.com/other" {
		t.Errorf("hello is linked of %v", got)
	}
	if got := needs["p/kube"]; len(got) != 1 {
		t.Errorf("kube is linked of %v", got)
	}
	again := released(t, "-root", root, "-version", "v1.2.3")
	if second, err := os.ReadFile(again[1]); err != nil || string(second) != string(raw) {
		t.Errorf("%v: the second one differs", err)
	}
}

// TestSign: the checksums are signed by the key of the environment, as openssl checks it.
func TestSign(t *testing.T) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(signingKey, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	made := released(t, "-root", project(t, goreleaser), "-version", "v1.2.3", "-sign")
	sums, signature := made[len(made)-2], made[len(made)-1]
	text, err := os.ReadFile(sums)
	raw, sigErr := os.ReadFile(signature)
	if err != nil || sigErr != nil || signature != sums+".sig" || !ed25519.Verify(public, text, raw) {
		t.Fatalf("%v, %v: %s is no signature of %s", err, sigErr, signature, sums)
	}
	opensslVerifies(t, public, sums, signature)
	for value, says := range map[string]string{"": "is no key in PEM", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n": signingKey} {
		t.Setenv(signingKey, value)
		var stderr strings.Builder
		if code := run([]string{"-version", "v1.2.3", "-sign"}, io.Discard, &stderr); code != exitUsage || !strings.Contains(stderr.String(), says) {
			t.Errorf("the key %q: exit code %d, %s", value, code, &stderr)
		}
	}
}

// opensslVerifies checks a signature by the command of the page on releases.
func opensslVerifies(t *testing.T, public ed25519.PublicKey, sums, signature string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "releasing.md"))
	if err != nil {
		t.Fatal(err)
	}
	const command = "openssl pkeyutl -verify -pubin -inkey release.pub -rawin -in checksums.txt -sigfile checksums.txt.sig"
	if !strings.Contains(string(page), command) {
		t.Errorf("docs/releasing.md lacks %q", command)
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Log("openssl is missing: its command is not tried")
		return
	}
	dir := t.TempDir()
	raw, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "release.pub"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{sums, signature} {
		if err := os.Link(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	verify := exec.CommandContext(t.Context(), "sh", "-c", command) //nolint:gosec // a constant
	verify.Dir = dir
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
