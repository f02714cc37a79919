package manager

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"ccm", []string{"ccm"}},
		{"  ccm  --a  b\t--c ", []string{"ccm", "--a", "b", "--c"}},
		{`ccm --flag="two words" 'it''s' ""`, []string{"ccm", "--flag=two words", "its", ""}},
		{`a\ b "q\"q" 'back\slash'`, []string{"a b", `q"q`, `back\slash`}},
	} {
		got, err := splitCommand(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.in, diff)
		}
	}
	for _, in := range []string{`ccm "open`, `ccm 'open`, `ccm end\`} {
		if got, err := splitCommand(in); err == nil {
			t.Errorf("%s: got %q, want an error", in, got)
		}
	}
}

// program makes an executable file and returns its path.
func program(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	writeProgram(t, path, "")
	return path
}

func TestParseCCMSpec(t *testing.T) {
	path := program(t, "my-ccm")
	got, err := ParseCCMSpec(path + " --kubeconfig={kubeconfig} -p {secure-port}")
	if err != nil {
		t.Fatal(err)
	}
	want := CCMSpec{Name: "my-ccm", Path: path, Args: []string{"--kubeconfig={kubeconfig}", "-p", "{secure-port}"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("subject (-want +got):\n%s", diff)
	}
	if !got.serves() {
		t.Error("a command with {secure-port} is not waited for")
	}
	if bare, err := ParseCCMSpec(path + " --x"); err != nil || bare.serves() {
		t.Errorf("got %+v, %v: nothing says where this command serves its health", bare, err)
	}
	if set, err := ParseCCMSpec("A=1 B_2='x {token}' " + path + " --x"); err != nil || set.Name != "my-ccm" || !slices.Equal(set.Env, []string{"A=1", "B_2=x {token}"}) {
		t.Errorf("with an environment: %+v, %v", set, err)
	} else if env := set.environment(map[string]string{phToken: "s3cret"}); !slices.Equal(env, []string{"A=1", "B_2=x s3cret"}) || set.Args[0] != "--x" {
		t.Errorf("it gets %q and %q", env, set.Args)
	}
	if other, err := ParseCCMSpec("URL={endpoint:hcloud} " + path + " --x"); err != nil {
		t.Errorf("with the endpoint of a dialect: %v", err)
	} else if env := other.environment(withFormats(map[string]string{phEndpoint: "http://127.0.0.1:1"})); !slices.Equal(env, []string{"URL=http://127.0.0.1:1/hcloud/v1"}) {
		t.Errorf("it gets %q", env)
	}
	if other, err := ParseCCMSpec("T={credential:hcloud} " + path + " --own={credential:simcloud} --field={credential:hcloud.token} --url={endpoint:simcloud}"); err != nil {
		t.Errorf("with the credentials of dialects: %v", err)
	} else {
		values := withFormats(map[string]string{phEndpoint: "http://127.0.0.1:1/", phToken: "s3cret"})
		got, want := append(other.environment(values), other.expand(values, nil)...), []string{"T=s3cret", "--own=s3cret", "--field=s3cret", "--url=http://127.0.0.1:1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("credentials (-want +got):\n%s", diff)
		}
	}
	if none, err := ParseCCMSpec("none"); err != nil || !none.None() {
		t.Errorf("none: got %+v, %v", none, err)
	}
}

func TestParseCCMSpecWithoutArgumentsGetsTheDefaultFlags(t *testing.T) {
	got, err := ParseCCMSpec(program(t, "my-ccm"))
	if err != nil {
		t.Fatal(err)
	}
	args := got.expand(map[string]string{phSecurePort: "4711"}, []string{"--secure-port={secure-port}"})
	if diff := cmp.Diff([]string{"--secure-port=4711"}, args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestParseCCMSpecRefuses(t *testing.T) {
	path := program(t, "my-ccm")
	t.Setenv("PATH", t.TempDir())
	t.Setenv(EnvCCM, "")
	for _, c := range []struct{ name, command, says string }{
		{"an unknown placeholder", path + " --x={kube-config}", "{kubeconfig}"},
		{"an unknown dialect", path + " --x={endpoint:hclod}", `no dialect "hclod": must be one of {endpoint:aws} {endpoint:hcloud} {endpoint:openstack} {endpoint:simcloud}`},
		{"the credential of an unknown dialect", "T={credential:hclod.token} " + path, `{credential:hclod.token} in "T={credential:hclod.token}": the cloud has no dialect "hclod": must be one of {credential:aws.key} {credential:aws.secret} {credential:aws.token} {credential:hcloud.token} {credential:hcloud} {credential:openstack.id} {credential:openstack.secret} {credential:simcloud.token}`},
		{"an unknown field of a credential", path + " --x={credential:hcloud.key}", "the credential of hcloud has no such field: must be one of {credential:hcloud.token} {credential:hcloud}"},
		{"a field of an endpoint", path + " --x={endpoint:hcloud.url}", "the endpoint of hcloud has no such field: must be one of {endpoint:hcloud}"},
		{"a credential of nothing", path + " --x={credential:}", `no dialect ""`},
		{"flags within an argument", path + " --x={flags}", "argument of its own"},
		{"an open quote", path + " 'x", "quote"},
		{"an environment alone", "A=1 B=2", "no command"},
		{"an unknown placeholder in the environment", "A={tokens} " + path, "{token}"},
		{"flags in the environment", "A={flags} " + path, "argument of its own"},
		{"a binary that is not there", "/no/such/ccm", "/no/such/ccm"},
		{"a name that is not in PATH", "nosuchccm", "nosuchccm"},
		{"no simcloud-ccm anywhere", "", "make build"},
	} {
		_, err := ParseCCMSpec(c.command)
		if !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "--ccm") {
			t.Errorf("%s: got %v, want Invalid that names --ccm and says %q", c.name, err, c.says)
		}
	}
}

func TestDefaultCCMSpec(t *testing.T) {
	inPath := program(t, "simcloud-ccm")
	t.Setenv("PATH", filepath.Dir(inPath))
	t.Setenv(EnvCCM, "")
	if got, err := ParseCCMSpec(""); err != nil || got.Path != inPath {
		t.Errorf("got %+v, %v, want the one in PATH, %s", got, err, inPath)
	}
	named := program(t, "other-ccm")
	t.Setenv(EnvCCM, named)
	if got, err := ParseCCMSpec(""); err != nil || got.Path != named {
		t.Errorf("got %+v, %v, want the one that %s names, %s", got, err, EnvCCM, named)
	}
	t.Setenv(EnvCCM, "/no/such/ccm")
	if _, err := ParseCCMSpec(""); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), EnvCCM) {
		t.Errorf("got %v, want an error that names %s: a wrong name must not fall back to another binary", err, EnvCCM)
	}
}
