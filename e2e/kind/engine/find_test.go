package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

const (
	noDaemon     = `echo '{"Client":{"Version":"28.2.2"},"Server":null}'; echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2; exit 1`
	noPermission = `echo 'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock' >&2; exit 1`
	tooOld       = `echo '{"Client":{"Version":"28.2.2"},"Server":{"Version":"19.03.15"}}'`
	podmanDocker = `echo '{"Client":{"Version":"4.3.1"}}'; echo 'Emulate Docker CLI using podman.' >&2`
)

func TestFindSaysWhyAnEngineDoesNotDo(t *testing.T) {
	for _, c := range []struct {
		name    string
		engine  string
		scripts map[string]string
		says    []string
	}{
		{"Missing", "docker", nil, []string{"docker command not found", "scripts/docker-up.sh"}},
		{"NoneAtAll", "", nil, []string{"docker, podman, nerdctl", "scripts/docker-up.sh"}},
		{"NotRunning", "docker", map[string]string{"docker": noDaemon}, []string{"docker is not running", "systemctl start docker"}},
		{"NotPermitted", "docker", map[string]string{"docker": noPermission}, []string{"not permitted", "group"}},
		{"TooOld", "docker", map[string]string{"docker": tooOld}, []string{"too old", "19.03.15", "20.10"}},
		{"PodmanInDockersName", "docker", map[string]string{"docker": podmanDocker}, []string{"not Docker's", "--engine podman"}},
		{"NotJSON", "docker", map[string]string{"docker": "echo hello"}, []string{"cannot be understood", "hello"}},
		{"SomethingElse", "podman", map[string]string{"podman": "echo 'Error: runroot must be set' >&2; exit 125"}, []string{"podman cannot be used", "runroot"}},
		{"AllReasons", "", map[string]string{"docker": noPermission, "podman": "echo nonsense"}, []string{"not permitted", "cannot be understood"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPath(t, c.scripts)
			_, err := engine.Find(t.Context(), c.engine)
			if !errors.Is(err, simcloud.Unavailable) {
				t.Fatalf("got %v, want %s", err, simcloud.Unavailable)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v does not say %q", err, text)
				}
			}
		})
	}
}

func TestFindRefusesAnUnknownName(t *testing.T) {
	_, err := engine.Find(t.Context(), "lxc")
	if !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "--engine") || !strings.Contains(err.Error(), "podman") {
		t.Errorf("got %v, want %s, the flag and the names there are", err, simcloud.Invalid)
	}
}

func TestFindTakesTheFirstThatAnswers(t *testing.T) {
	onPath(t, map[string]string{"docker": noDaemon, "podman": versions["podman"], "nerdctl": versions["nerdctl"]})
	e, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if e.Name() != "podman" || e.Version() != "4.3" || e.NetworkVariable() != "KIND_EXPERIMENTAL_PODMAN_NETWORK" {
		t.Errorf("got %s %s, %s", e.Name(), e.Version(), e.NetworkVariable())
	}
	if all := engine.All(t.Context()); len(all) != 2 || all[1].Name() != "nerdctl" || all[1].Version() != "2.0" {
		t.Errorf("all: %v", all)
	}
}

func TestFindAnswersTheEndOfItsContext(t *testing.T) {
	onPath(t, map[string]string{"docker": "exec /bin/sleep 600"})
	ctx, cancel := contextThatEnds(t)
	defer cancel()
	if _, err := engine.Find(ctx, ""); !errors.Is(err, errEnded) {
		t.Errorf("got %v, want %v", err, errEnded)
	}
}
