package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// action is what a composite action of GitHub is made of.
type action struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Inputs      map[string]struct {
		Description string `json:"description"`
		Default     string `json:"default"`
	} `json:"inputs"`
	Runs struct {
		Using string       `json:"using"`
		Steps []actionStep `json:"steps"`
	} `json:"runs"`
}

type actionStep struct {
	Name  string            `json:"name,omitempty"`
	If    string            `json:"if,omitempty"`
	Uses  string            `json:"uses,omitempty"`
	With  map[string]string `json:"with,omitempty"`
	Shell string            `json:"shell,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	Run   string            `json:"run,omitempty"`
}

func readAction(t *testing.T) (a action) {
	t.Helper()
	text, err := os.ReadFile("../../../scripts/action/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestActionIsValid: its steps are valid as those of a workflow with the same inputs, all of which they use.
func TestActionIsValid(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	inputs := map[string]any{}
	for name, input := range a.Inputs {
		if input.Description == "" {
			t.Errorf("the input %s has no description", name)
		}
		inputs[name] = map[string]any{"type": "string", "default": input.Default}
	}
	workflow, err := yaml.Marshal(map[string]any{
		"on":   map[string]any{"workflow_call": map[string]any{"inputs": inputs}},
		"jobs": map[string]any{"test": map[string]any{"runs-on": "ubuntu-24.04", "steps": a.Runs.Steps}},
	})
	if err != nil {
		t.Fatal(err)
	}
	lintWorkflow(t, workflow)
	for name := range a.Inputs {
		if !bytes.Contains(workflow, []byte("${{ inputs."+name+" }}")) {
			t.Errorf("no step uses the input %s", name)
		}
	}
	if last := a.Runs.Steps[len(a.Runs.Steps)-1]; a.Runs.Using != "composite" || last.If != "always()" || last.With["path"] != "${{ inputs.report }}" {
		t.Errorf("the last step of a composite action must keep the report of a run that failed too: %+v", last)
	}
}

// TestActionOfDocument: what the document gives the action are inputs of it.
func TestActionOfDocument(t *testing.T) {
	t.Parallel()
	uses := regexp.MustCompile("(?ms)^```yaml\n(- uses: simcloud-dev/simcloud/scripts/action@v[0-9.]+\n.*?)^```").FindStringSubmatch(ciFiles(t)["ci.md"])
	if uses == nil {
		t.Fatal("ci.md does not use the action")
	}
	var steps []actionStep
	if err := yaml.UnmarshalStrict([]byte(uses[1]), &steps); err != nil || len(steps) == 0 || len(steps[0].With) == 0 {
		t.Fatalf("%v: %+v", err, steps)
	}
	for name := range steps[0].With {
		if _, known := readAction(t).Inputs[name]; !known {
			t.Errorf("the action has no input %s", name)
		}
	}
}

// runStep runs a step of the action as GitHub does, with programs in a folder. It returns its output.
func runStep(t *testing.T, name, bin string, env ...string) (string, error) {
	t.Helper()
	for _, step := range readAction(t).Runs.Steps {
		if step.Name == name {
			cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
			cmd.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + bin}, env...)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
	}
	t.Fatalf("the action has no step %q", name)
	return "", nil
}

// TestActionCalls: the command that the inputs make has flags that "simcloud test" has, and the values of the inputs.
func TestActionCalls(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "simcloud"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit \"$CODE\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{"ccm": "my-ccm --kubeconfig={kubeconfig}", "profile": "aws", "capabilities": "my caps.yaml", "known-failures": "known.yaml", "selector": "tier in (core,data)", "shard": "2/3", "report": "my out"}
	for _, given := range [][]string{{"report"}, {"report", "ccm", "capabilities", "known-failures", "selector", "shard"}, {"report", "profile"}} {
		for _, code := range []int{0, 1, 3} {
			env := []string{"GITHUB_STEP_SUMMARY=the summary", fmt.Sprintf("CODE=%d", code)}
			want := []string{"--summary=the summary"}
			for _, name := range slices.Sorted(maps.Keys(inputs)) {
				value := ""
				if slices.Contains(given, name) {
					value = inputs[name]
					want = append(want, "--"+name+"="+value)
				}
				env = append(env, strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value)
			}
			out, err := runStep(t, "Test the cloud controller manager", bin, env...)
			var ended *exec.ExitError
			if errors.As(err, &ended) != (code != 0) || ended != nil && ended.ExitCode() != code {
				t.Errorf("simcloud ends with %d, the step with %v", code, err)
			}
			args := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if path, err := parsed(args); err != nil || path != "simcloud test" {
				t.Errorf("%s: %q: %v", path, args, err)
			}
			got := []string{}
			for i := 1; i+1 < len(args); i += 2 {
				got = append(got, args[i]+"="+args[i+1])
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("with %v it gives %q, want %q", given, got, want)
			}
		}
	}
}

// fakeGh downloads the files of the folder that $RELEASE names, and writes its arguments to standard output.
const fakeGh = `#!/bin/sh
echo "gh $*"
while [ "$1" != --dir ]; do shift; done
cp "$RELEASE"/* "$2"
`

// TestActionInstalls: the release is checked and unpacked, and its programs come to the path of later steps.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("no release for " + runtime.GOARCH)
	}
	bin, temp, release := t.TempDir(), t.TempDir(), t.TempDir()
	name := "simcloud_1.2.3_linux_" + runtime.GOARCH
	archive := archiveOf(t, name+"/simcloud", "#!/bin/sh\necho \"this is $0 $1\"\n")
	sums := fmt.Sprintf("%x  %s.tar.gz\n%x  simcloud_1.2.3_linux_other.tar.gz\n", sha256.Sum256(archive), name, sha256.Sum256(nil))
	for path, content := range map[string]string{
		filepath.Join(bin, "gh"): fakeGh, filepath.Join(release, name+".tar.gz"): string(archive), filepath.Join(release, "checksums.txt"): sums,
	} {
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(temp, "path")
	env := []string{"RUNNER_TEMP=" + temp, "GITHUB_PATH=" + path, "RELEASE=" + release}
	for version, want := range map[string]string{"": "gh release download --repo ", "v1.2.3": "gh release download v1.2.3 --repo "} {
		out, err := runStep(t, "Install simcloud", bin, append(env, "VERSION="+version)...)
		if err != nil || !strings.HasPrefix(out, want) {
			t.Fatalf("%v: %s; want %s", err, out, want)
		}
		added, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(out, "this is "+strings.TrimSpace(string(added))+"/simcloud --version\n") {
			t.Errorf("%v: later steps look in %s\n%s", err, added, out)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(release, name+".tar.gz"), archiveOf(t, name+"/simcloud", "#!/bin/sh\necho another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := runStep(t, "Install simcloud", bin, append(env, "VERSION=")...); err == nil {
		t.Errorf("an archive with another checksum is taken:\n%s", out)
	}
}

// archiveOf is a compressed archive of one program.
func archiveOf(t *testing.T, name, content string) []byte {
	t.Helper()
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	out := tar.NewWriter(zip)
	err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))})
	_, writeErr := io.WriteString(out, content)
	if err := errors.Join(err, writeErr, out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}
