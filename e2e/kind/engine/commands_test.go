package engine_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

var errEnded = errors.New("the test has seen enough")

func contextThatEnds(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errEnded)
}

func TestRunSaysWhatTheContainerIs(t *testing.T) {
	e, calls := fake(t, "docker", "")
	err := e.Run(t.Context(), engine.RunSpec{
		Name: "c", Image: "i", Hostname: "h", Network: "n",
		Addresses: []netip.Addr{netip.MustParseAddr("10.1.0.2"), netip.MustParseAddr("fd00:1::2")},
		Labels:    map[string]string{"b": "2", "a": "1"}, Flags: []string{"--privileged"}, Command: []string{"sleep", "1"},
	})
	want := "docker run --detach --name c --hostname h --network n --ip 10.1.0.2 --ip6 fd00:1::2 --label=a=1 --label=b=2 --privileged i sleep 1"
	if err != nil || calls() != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, calls(), want)
	}
}

func TestARunThatFailsLeavesNothing(t *testing.T) {
	for says, want := range map[string]struct {
		code  simcloud.Code
		calls string
	}{
		"Error response from daemon: Address already in use":                                               {simcloud.InUse, "docker rm --force --volumes c"},
		`Error response from daemon: Conflict. The container name "/c" is already in use by container "x"`: {simcloud.AlreadyExists, ""},
	} {
		e, calls := fake(t, "docker", `[ "$1" = rm ] && exit; echo '`+says+`' >&2; exit 125`)
		err := e.Run(t.Context(), engine.RunSpec{Name: "c", Image: "i"})
		if !errors.Is(err, want.code) || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %s and what the engine said", err, want.code)
		}
		if _, rest, _ := strings.Cut(calls(), "\n"); rest != want.calls {
			t.Errorf("then it called %q, want %q", rest, want.calls)
		}
	}
}

func TestFailuresHaveCodes(t *testing.T) {
	for says, code := range map[string]simcloud.Code{
		"Error response from daemon: No such container: c":                                                  simcloud.NotFound,
		"Error: No such object: c":                                                                          simcloud.NotFound,
		`Error: no container with name or ID "c" found: no such container`:                                  simcloud.NotFound,
		"Error response from daemon: network n not found":                                                   simcloud.NotFound,
		"Error response from daemon: Pool overlaps with other one on this address space":                    simcloud.InUse,
		"Error: subnet 10.1.0.0/16 is already used on the host or by another config":                        simcloud.InUse,
		"Error response from daemon: error while removing network: network n id 1 has active endpoints":     simcloud.InUse,
		"Error response from daemon: network with name n already exists":                                    simcloud.AlreadyExists,
		"Error: IPAM error: requested ip address 10.1.0.2 is already allocated to container ID 1":           simcloud.InUse,
		"Error: can only kill running containers. 1 is in state exited: container state improper":           simcloud.Unavailable,
		"Error response from daemon: Container 1 is not running":                                            simcloud.Unavailable,
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?": simcloud.Unavailable,
		"Error response from daemon: Cannot read IPv6 setup for bridge br-1":                                simcloud.Unimplemented,
		"Error response from daemon: out of cheese":                                                         simcloud.Internal,
	} {
		e, _ := fake(t, "docker", `echo '`+says+`' >&2; exit 1`)
		if err := e.Start(t.Context(), "c"); simcloud.CodeOf(err) != code {
			t.Errorf("%s: got %s, want %s", says, simcloud.CodeOf(err), code)
		}
	}
}

func TestAFailureInAContainerIsNotTheEngines(t *testing.T) {
	e, _ := fake(t, "docker", `echo 'ls: no such container of mine' >&2; exit 42`)
	_, err := e.Exec(t.Context(), "c", nil, "ls")
	var exit *engine.ExitError
	if !errors.As(err, &exit) || exit.Code != 42 || errors.Is(err, simcloud.NotFound) || !strings.Contains(exit.Stderr, "of mine") {
		t.Errorf("got %v, want the exit code 42 alone", err)
	}
	e, _ = fake(t, "docker", `echo 'Error response from daemon: No such container: c' >&2; exit 1`)
	if _, err := e.Exec(t.Context(), "c", nil, "ls"); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("got %v, want %s", err, simcloud.NotFound)
	}
}

func TestExecReadsAndWrites(t *testing.T) {
	e, calls := fake(t, "docker", `[ "$2" != --interactive ] || exec /bin/cat; echo out; echo err >&2`)
	if out, err := e.Exec(t.Context(), "c", strings.NewReader("in"), "x", "y"); err != nil || string(out) != "in" {
		t.Errorf("got %q, %v", out, err)
	}
	if out, err := e.Exec(t.Context(), "c", nil, "x"); err != nil || string(out) != "out\n" {
		t.Errorf("got %q, %v: want standard output alone", out, err)
	}
	if want := "docker exec --interactive c x y\ndocker exec c x"; calls() != want {
		t.Errorf("got %q, want %q", calls(), want)
	}
}

func TestACommandEndsWithItsContext(t *testing.T) {
	e, _ := fake(t, "docker", "exec /bin/sleep 600")
	ctx, cancel := contextThatEnds(t)
	defer cancel()
	if _, err := e.Wait(ctx, "c"); !errors.Is(err, errEnded) {
		t.Errorf("got %v, want %v", err, errEnded)
	}
}

func TestRemoveIsDoneWhenTheContainerIsGone(t *testing.T) {
	const inProgress = `case "$1" in
rm) echo 'Error response from daemon: removal of container c is already in progress' >&2; exit 1;;
container) echo x >>"$0.asked"; read -r x </dev/null; if [ "$(/usr/bin/wc -l <"$0.asked")" -lt 3 ]; then echo '[{"Id":"1"}]'; else echo '[]'; echo 'Error: No such container: c' >&2; exit 1; fi;;
esac`
	e, calls := fake(t, "docker", inProgress)
	if err := e.Remove(t.Context(), "c"); err != nil || strings.Count(calls(), "container inspect") != 3 {
		t.Errorf("%v; calls:\n%s\nwant it to look until the container is gone", err, calls())
	}
	e, _ = fake(t, "docker", `echo 'Error response from daemon: No such container: c' >&2; exit 1`)
	if err := e.Remove(t.Context(), "c", "d"); err != nil {
		t.Errorf("what is not there is no error: %v", err)
	}
}

// With Podman the volumes of nodes have names: ours one after the container, and kind's any.
func TestRemoveTakesTheVolumesOfPodmansNodes(t *testing.T) {
	e, calls := fake(t, "podman", `[ "$2" = ls ] && echo 0123 || true`)
	want := "podman rm --force --volumes c\npodman volume ls --quiet --filter label=c\npodman volume rm --force c-var 0123"
	if err := e.Remove(t.Context(), "c"); err != nil || calls() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, calls(), want)
	}
}

// An engine finishes a command, whether or not the caller still waits for it.
func TestWhatIsMadeAtTheEndOfTheContextIsKnown(t *testing.T) {
	const slow = `case "$1 $2" in
"network inspect") echo '[]'; echo 'Error: No such network: n' >&2; exit 1;;
"run "*|"network create") : >"$0.begun"; until [ -e "$0.go" ]; do /bin/sleep 0.01; done; echo made >>"$0.made";;
esac`
	e, calls := fake(t, "docker", slow)
	ctx := endsInTheMaking(t)
	if err := e.Run(ctx, engine.RunSpec{Name: "c", Image: "i"}); !errors.Is(err, errEnded) {
		t.Errorf("got %v, want %v", err, errEnded)
	}
	if want := "docker run --detach --name c i\ndocker rm --force --volumes c"; calls() != want {
		t.Errorf("got\n%s\nwant\n%s", calls(), want)
	}
	requireMade(t, 1)
	if err := e.Run(ctx, engine.RunSpec{Name: "d", Image: "i"}); !errors.Is(err, errEnded) || strings.Contains(calls(), "run --detach --name d") {
		t.Errorf("got %v, calls\n%s\nwant nothing made for one who has gone", err, calls())
	}
	ctx = endsInTheMaking(t)
	if err := e.CreateNetwork(ctx, engine.NetworkSpec{Name: "n"}); err != nil {
		t.Errorf("got %v, want the network", err)
	}
	requireMade(t, 2)
}

// endsInTheMaking returns a context that ends when the fake docker has begun to
// make something. Not before that does it go on.
func endsInTheMaking(t *testing.T) context.Context {
	t.Helper()
	docker := filepath.Join(os.Getenv("PATH"), "docker")
	begun, goOn := docker+".begun", docker+".go"
	for _, file := range []string{begun, goOn} {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	var watching sync.WaitGroup
	t.Cleanup(watching.Wait)
	watching.Go(func() {
		for _, err := os.Stat(begun); err != nil && ctx.Err() == nil; _, err = os.Stat(begun) {
			time.Sleep(time.Millisecond)
		}
		cancel(errEnded)
		if err := os.WriteFile(goOn, nil, 0o600); err != nil {
			t.Error(err)
		}
	})
	return ctx
}

// requireMade fails the test unless the fake docker has made so many things to their end.
func requireMade(t *testing.T, n int) {
	t.Helper()
	made, err := os.ReadFile(filepath.Join(os.Getenv("PATH"), "docker.made"))
	if err != nil || strings.Count(string(made), "made") != n {
		t.Errorf("%v: the engine has made %q, want %d things", err, made, n)
	}
}

const twoContainers = `[{"Id":"1","Name":"/a","State":{"Status":"running","Paused":true,"Pid":7},"Config":{"Image":"i","Labels":{"k":"v"}},
"NetworkSettings":{"Networks":{"n":{"IPAddress":"10.1.0.2","GlobalIPv6Address":"fd00:1::2"},"m":{"IPAddress":"","GlobalIPv6Address":""}}}},
{"Id":"2","Name":"b","State":{"Status":"exited","ExitCode":137},"Config":{}}]`

func TestListLeavesOutWhatGoesMeanwhile(t *testing.T) {
	e, calls := fake(t, "docker", `[ "$1" = ps ] && echo '1 2 3' || { echo '`+twoContainers+`'; echo 'Error: No such container: 3' >&2; exit 1; }`)
	got, err := e.List(t.Context(), "x", "y=z")
	want := []engine.Container{
		{ID: "1", Name: "a", Image: "i", Status: "paused", PID: 7, Labels: map[string]string{"k": "v"}, Networks: map[string]engine.Endpoint{
			"n": {Addresses: []netip.Addr{netip.MustParseAddr("10.1.0.2"), netip.MustParseAddr("fd00:1::2")}}, "m": {},
		}},
		{ID: "2", Name: "b", Status: "exited", ExitCode: 137},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if want := "docker ps --all --quiet --no-trunc --filter label=x --filter label=y=z\ndocker container inspect 1 2 3"; calls() != want {
		t.Errorf("got %s\nwant %s", calls(), want)
	}
}

func TestNetworksOfAllEnginesAreUnderstood(t *testing.T) {
	for name, says := range map[string]string{
		"docker": `[{"Name":"n","Id":"1","IPAM":{"Config":[{"Subnet":"10.1.0.0/16","IPRange":"10.1.128.0/17","Gateway":"10.1.128.1"},{"Subnet":"fd00:1::/64"}]},"Labels":{"a":"b"}}]`,
		"podman": `[{"name":"n","id":"1","subnets":[{"subnet":"10.1.0.0/16","gateway":"10.1.128.1"},{"subnet":"fd00:1::/64"}],"labels":{"a":"b"}}]`,
	} {
		e, _ := fake(t, name, `echo '`+says+`'`)
		n, err := e.Network(t.Context(), "n")
		if err != nil || n.ID != "1" || n.Name != "n" || n.Labels["a"] != "b" || len(n.Subnets) != 2 ||
			n.Subnets[1] != netip.MustParsePrefix("fd00:1::/64") || n.Gateways[0] != netip.MustParseAddr("10.1.128.1") || n.Gateways[1].IsValid() {
			t.Errorf("%s: %v, %+v", name, err, n)
		}
	}
}

func TestCreateNetwork(t *testing.T) {
	e, calls := fake(t, "docker", `[ "$2" = create ] || { echo '[]'; echo 'Error: No such network: n' >&2; exit 1; }`)
	err := e.CreateNetwork(t.Context(), engine.NetworkSpec{Name: "n", Labels: map[string]string{"a": "b"}, Pools: []engine.Pool{
		{Subnet: netip.MustParsePrefix("10.1.0.0/16"), Range: netip.MustParsePrefix("10.1.128.0/17"), Gateway: netip.MustParseAddr("10.1.128.1")},
		{Subnet: netip.MustParsePrefix("fd00:1::/64")},
	}})
	_, got, _ := strings.Cut(calls(), "\n")
	want := "docker network create --driver=bridge --label=a=b --subnet=10.1.0.0/16 --ip-range=10.1.128.0/17 --gateway=10.1.128.1 --subnet=fd00:1::/64 --ipv6 n"
	if err != nil || got != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	e, _ = fake(t, "docker", `echo '[{"Name":"n"}]'`)
	if err := e.CreateNetwork(t.Context(), engine.NetworkSpec{Name: "n"}); !errors.Is(err, simcloud.AlreadyExists) {
		t.Errorf("got %v: Docker would make a second one; want %s", err, simcloud.AlreadyExists)
	}
}

func TestAwaitLog(t *testing.T) {
	e, _ := fake(t, "docker", "echo starting; echo 'Reached target Multi-User'; exec /bin/sleep 600")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.AwaitLog(ctx, "c", regexp.MustCompile("Reached .*Multi")); err != nil || ctx.Err() != nil {
		t.Errorf("%v, %v: want it to return when it has seen that", err, ctx.Err())
	}
	e, _ = fake(t, "docker", "echo it cannot start")
	if err := e.AwaitLog(t.Context(), "c", regexp.MustCompile("Reached")); !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "it cannot start") {
		t.Errorf("got %v, want what the container wrote last", err)
	}
}

func TestNodeFlagsFollowTheEngine(t *testing.T) {
	const info = `{"Driver":"overlay2","DriverStatus":[["Backing Filesystem","xfs"]],"SecurityOptions":["name=seccomp,profile=default","name=userns"]}`
	onPath(t, map[string]string{"docker": `[ "$1" = version ] && ` + versions["docker"] + ` || echo '` + info + `'`})
	e, err := engine.Find(t.Context(), "docker")
	if err != nil {
		t.Fatal(err)
	}
	flags := strings.Join(e.NodeFlags("c", true), " ")
	for _, want := range []string{"--privileged", "--cgroupns=private", "--volume /var ", "--userns=host", "--volume /dev/mapper:/dev/mapper", "disable_ipv6=0"} {
		if !strings.Contains(flags, want) {
			t.Errorf("%s lacks %s", flags, want)
		}
	}
	p, _ := fake(t, "podman", "")
	flags = strings.Join(p.NodeFlags("c", false), " ")
	if !strings.Contains(flags, "--volume c-var:/var:suid,exec,dev") || strings.Contains(flags, "ipv6") || strings.Contains(flags, "apparmor") {
		t.Errorf("podman: %s", flags)
	}
}
