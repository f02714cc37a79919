package manager

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestConfigFiles: a command gets the paths of its config files, in which the placeholders are filled in.
func TestConfigFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.conf": "[Global]\nURL = {endpoint}\nother = {config:b.conf}\n", "b.conf": "port {secure-port}\n"}
	spec, err := NewCCMSpec(program(t, "my-ccm"), []string{"--config={config:a.conf}"}, []string{"B={config:b.conf}"}, files)
	if err != nil {
		t.Fatal(err)
	}
	if !spec.serves() {
		t.Error("a command whose config file has {secure-port} is not waited for")
	}
	own := ccmFiles{dir: t.TempDir()}
	values := map[string]string{phEndpoint: "http://127.0.0.1:1", phSecurePort: "7"}
	if err := own.writeConfigFiles(spec.ConfigFiles, values); err != nil {
		t.Fatal(err)
	}
	a, b := filepath.Join(own.dir, "config", "a.conf"), filepath.Join(own.dir, "config", "b.conf")
	if args, env := spec.expand(values, nil), spec.environment(values); args[0] != "--config="+a || env[0] != "B="+b {
		t.Errorf("it gets %q and %q", args, env)
	}
	for path, want := range map[string]string{a: "[Global]\nURL = http://127.0.0.1:1\nother = " + b + "\n", b: "port 7\n"} {
		if got, err := os.ReadFile(path); string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestConfigFilesAreRefused(t *testing.T) {
	t.Parallel()
	path := program(t, "my-ccm")
	for says, c := range map[string]struct {
		arg   string
		files map[string]string
	}{
		`there is no config file "b.conf": must be one of a.conf`:            {"{config:b.conf}", map[string]string{"a.conf": ""}},
		`config file a.conf, line 2: unknown placeholder {endpont}`:          {"{config:a.conf}", map[string]string{"a.conf": "x\nURL={endpont}"}},
		`"../a.conf" cannot be the name of a config file`:                    {"x", map[string]string{"../a.conf": ""}},
		`the command has no config files: a profile can have some, in spec.`: {"{config:a.conf}", nil},
	} {
		if _, err := NewCCMSpec(path, []string{c.arg}, nil, c.files); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want Invalid that says %q", err, says)
		}
	}
	if _, err := ParseCCMSpec(path + " --x={config:a.conf}"); err == nil || !strings.Contains(err.Error(), "a profile can have some, in spec.config") {
		t.Errorf("a command of --ccm: got %v", err)
	}
}
