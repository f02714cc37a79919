package engine_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/simcloud"
)

func TestARealEngine(t *testing.T) {
	l := realEngine(t)
	c := l.run(t, "c", 2, l.NodeFlags("c", false)...)
	if err := l.AwaitLog(t.Context(), c, regexp.MustCompile("Reached target .*Multi-User")); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]func(*testing.T, laboratory, string){
		"Image": imageIsThere, "Inspect": inspectTells, "Exec": execTells, "Names": namesAndAddressesAreTaken,
	} {
		t.Run(name, func(t *testing.T) { test(t, l, c) })
	}
	t.Run("Life", func(t *testing.T) { lifeOfAMachine(t, l) })
	t.Run("Cut", func(t *testing.T) { cutAndJoin(t, l, c) })
	t.Run("Privileges", func(t *testing.T) { privilegesOfTheHost(t, l) })
	t.Run("Frozen", func(t *testing.T) { frozenCanBeEnded(t, l) })
	t.Run("Remove", func(t *testing.T) { removeIsWhole(t, l, c) })
}

func imageIsThere(t *testing.T, l laboratory, _ string) {
	if has, err := l.ImageExists(t.Context(), l.image()); err != nil || !has {
		t.Errorf("%v, %v: want it there", has, err)
	}
	if has, err := l.ImageExists(t.Context(), "simcloud-no-such:1"); err != nil || has {
		t.Errorf("%v, %v: want none", has, err)
	}
	if refs, err := l.Images(t.Context(), l.name); err != nil || len(refs) != 1 || !strings.HasSuffix(refs[0], l.image()) {
		t.Errorf("%v, %v", refs, err)
	}
}

func inspectTells(t *testing.T, l laboratory, name string) {
	c, err := l.Inspect(t.Context(), name)
	if err != nil || c.Name != name || c.Status != "running" || c.PID == 0 || !slices.Equal(c.Networks[l.name].Addresses, []netip.Addr{l.address(2)}) {
		t.Errorf("%v: %+v", err, c)
	}
	if _, err := l.Inspect(t.Context(), "simcloud-no-such"); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("got %v, want %s", err, simcloud.NotFound)
	}
	n, err := l.Network(t.Context(), l.name)
	if err != nil || !slices.Equal(n.Subnets, []netip.Prefix{l.subnet}) || n.Labels[testLabel] != l.name {
		t.Errorf("%v: %+v", err, n)
	}
	if found, err := l.Networks(t.Context(), l.labels()); err != nil || len(found) != 1 || !found[0].Gateways[0].IsValid() {
		t.Errorf("%+v, %v: want it by its label, with a gateway", found, err)
	}
}

func execTells(t *testing.T, l laboratory, c string) {
	long := strings.Repeat("packets", 100_000)
	if out, err := l.Exec(t.Context(), c, strings.NewReader(long), "/guest", "cat"); err != nil || string(out) != long {
		t.Errorf("%v: %d bytes came back of %d", err, len(out), len(long))
	}
	_, err := l.Exec(t.Context(), c, nil, "/guest", "fail", "42")
	var exit *engine.ExitError
	if !errors.As(err, &exit) || exit.Code != 42 || !strings.Contains(exit.Stderr, "on purpose") {
		t.Errorf("got %v, want exit code 42", err)
	}
	if _, err := l.Exec(t.Context(), "simcloud-no-such", nil, "/guest"); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("got %v, want %s", err, simcloud.NotFound)
	}
}

func namesAndAddressesAreTaken(t *testing.T, l laboratory, c string) {
	spec := engine.RunSpec{Name: c, Image: l.image(), Network: l.name, Labels: map[string]string{testLabel: l.name}}
	if err := l.Run(t.Context(), spec); !errors.Is(err, simcloud.AlreadyExists) {
		t.Errorf("a second container of the name: %v, want %s", err, simcloud.AlreadyExists)
	}
	spec.Name, spec.Addresses = l.name+"-taken", []netip.Addr{l.address(2)}
	if err := l.Run(t.Context(), spec); !errors.Is(err, simcloud.InUse) {
		t.Errorf("a second container of the address: %v, want %s", err, simcloud.InUse)
	}
	if _, err := l.Inspect(t.Context(), spec.Name); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("it is left: %v", err)
	}
	if err := l.CreateNetwork(t.Context(), engine.NetworkSpec{Name: l.name}); !errors.Is(err, simcloud.AlreadyExists) {
		t.Errorf("a second network of the name: %v, want %s", err, simcloud.AlreadyExists)
	}
	overlapping := []engine.Pool{{Subnet: netip.PrefixFrom(l.subnet.Addr(), 20)}}
	if err := l.CreateNetwork(t.Context(), engine.NetworkSpec{Name: l.name + "-b", Pools: overlapping}); !errors.Is(err, simcloud.InUse) {
		t.Errorf("a second network of the subnet: %v, want %s", err, simcloud.InUse)
	}
	if err := l.RemoveNetwork(t.Context(), l.name); !errors.Is(err, simcloud.InUse) {
		t.Errorf("remove a network with a container: %v, want %s", err, simcloud.InUse)
	}
}

// frozenCanBeEnded ends containers in which a runtime of their own, which is
// gone, has frozen the first process, or another one that the first waits for as it dies.
func frozenCanBeEnded(t *testing.T, l laboratory) {
	c := l.run(t, "frozen", 5)
	first := l.freezer(t, c)
	first.freeze(t, first.processes(t)[0])
	if err := l.Kill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	other := l.freezer(t, c)
	other.freeze(t, l.another(t, c, other))
	if err := l.Kill(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	first = l.freezer(t, c)
	first.freeze(t, first.processes(t)[0])
	if err := l.Remove(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// freezerGroup is a container's group in version 1 of cgroups.
type freezerGroup string

func (l laboratory) freezer(t *testing.T, c string) freezerGroup {
	t.Helper()
	info, err := l.Inspect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", info.PID))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^\d+:freezer:(/.*)$`).FindSubmatch(raw)
	if match == nil || os.Geteuid() != 0 {
		t.Skip("it takes root, and version 1 of cgroups: others can end what is frozen")
	}
	return freezerGroup(filepath.Join("/sys/fs/cgroup/freezer", string(match[1])))
}

// processes are those in the group, the oldest first.
func (g freezerGroup) processes(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(string(g), "cgroup.procs"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(raw))
}

// another starts one more process in the container, and returns it.
func (l laboratory) another(t *testing.T, c string, g freezerGroup) string {
	t.Helper()
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	r, w := io.Pipe()
	running.Go(func() {
		_ = w.CloseWithError(l.ExecTo(t.Context(), c, nil, w, "/guest", "wait")) // it is killed with the container
	})
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	all := g.processes(t)
	if len(all) != 2 {
		t.Fatalf("processes %q, want two", all)
	}
	return all[1]
}

// freeze freezes a process of the group in a group below it.
func (g freezerGroup) freeze(t *testing.T, pid string) {
	t.Helper()
	below := filepath.Join(string(g), "pod")
	err := errors.Join(os.Mkdir(below, 0o700), os.WriteFile(filepath.Join(below, "cgroup.procs"), []byte(pid), 0o600),
		os.WriteFile(filepath.Join(below, "freezer.state"), []byte("FROZEN"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

func lifeOfAMachine(t *testing.T, l laboratory) {
	ctx := t.Context()
	c := l.run(t, "life", 3)
	try := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	status := func(want string) {
		t.Helper()
		if got, err := l.Inspect(ctx, c); err != nil || got.Status != want {
			t.Fatalf("status %s, %v, want %s", got.Status, err, want)
		}
	}
	// From then on it ends when it is asked to.
	try("its beginning", l.AwaitLog(ctx, c, regexp.MustCompile("Reached target")))
	_, err := l.Exec(ctx, c, nil, "/guest", "write", "/kept")
	try("write", err)
	try("pause", l.Pause(ctx, c))
	status("paused")
	try("unpause", l.Unpause(ctx, c))
	status("running")
	try("pause", l.Pause(ctx, c))
	try("kill a paused one", l.Kill(ctx, c))
	if code, err := l.Wait(ctx, c); err != nil || code != 137 {
		t.Errorf("exit code %d, %v, want that of SIGKILL", code, err)
	}
	status("exited")
	try("kill one that does not run", l.Kill(ctx, c))
	if _, err := l.Exec(ctx, c, nil, "/guest"); !errors.Is(err, simcloud.Unavailable) {
		t.Errorf("exec in one that does not run: %v, want %s", err, simcloud.Unavailable)
	}
	try("start", l.Start(ctx, c))
	try("its second beginning", l.AwaitLog(ctx, c, regexp.MustCompile("(?s)Reached target.*Reached target")))
	_, err = l.Exec(ctx, c, nil, "/guest", "read", "/kept")
	try("its disk", err)
	if got, err := l.Inspect(ctx, c); err != nil || !slices.Equal(got.Networks[l.name].Addresses, []netip.Addr{l.address(3)}) {
		t.Errorf("%v: it came back with %v", err, got.Networks)
	}
	try("stop", l.Stop(ctx, c))
	if code, err := l.Wait(ctx, c); err != nil || code != 0 {
		t.Errorf("exit code %d, %v, want that of an orderly end", code, err)
	}
}

func cutAndJoin(t *testing.T, l laboratory, c string) {
	if err := l.Disconnect(t.Context(), l.name, c); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Inspect(t.Context(), c); err != nil || len(got.Networks) != 0 || got.Status != "running" {
		t.Errorf("cut off: %v, %+v", err, got)
	}
	if err := l.Connect(t.Context(), l.name, c, l.address(2)); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Inspect(t.Context(), c); err != nil || !slices.Equal(got.Networks[l.name].Addresses, []netip.Addr{l.address(2)}) {
		t.Errorf("joined: %v, %+v", err, got)
	}
}

// A privileged container and a process in it want all capabilities, and these
// a lower score than this host may be able to give. Both get what the host has.
func privilegesOfTheHost(t *testing.T, l laboratory) {
	c := l.run(t, "privileged", 4, "--privileged", "--oom-score-adj=-500", "--ulimit=nofile=1048576:1048576")
	for _, flags := range [][]string{nil, {"--privileged"}} {
		argv := append(append([]string{"exec"}, flags...), c, "/guest", "privileges")
		out, err := dockerOutput(t, l.Name(), argv...)
		if err != nil || !strings.Contains(out, "CapEff:") {
			t.Errorf("exec %v: %v: %s", flags, err, out)
		}
		t.Logf("exec %v: %s", flags, out)
	}
}

func removeIsWhole(t *testing.T, l laboratory, c string) {
	if err := l.Remove(t.Context(), c, "simcloud-no-such"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Inspect(t.Context(), c); !errors.Is(err, simcloud.NotFound) {
		t.Errorf("got %v, want %s", err, simcloud.NotFound)
	}
	if err := l.RemoveNetwork(t.Context(), "simcloud-no-such"); err != nil {
		t.Errorf("a network that is not there: %v", err)
	}
}
