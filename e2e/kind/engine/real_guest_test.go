package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
	"github.com/simcloud-dev/simcloud/e2e/ociimage"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// laboratory is an engine with an image and a network of one test, of which
// nothing is left at its end.
type laboratory struct {
	*engine.Engine
	name   string // of the image and the network, and the beginning of the containers'
	subnet netip.Prefix
}

const testLabel = "dev.simcloud.test"

func realEngine(t *testing.T) laboratory {
	t.Helper()
	if os.Getenv("SIMCLOUD_KIND") != "1" {
		t.Skip("it needs a container engine: SIMCLOUD_KIND is not 1")
	}
	e, err := engine.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	removeDead(t, e)
	l := laboratory{Engine: e, name: fmt.Sprintf("simcloud-engine-test-%d", os.Getpid())}
	t.Cleanup(func() { l.clean(t) })
	archive := filepath.Join(t.TempDir(), "image.tar")
	buildImage(t, l.image(), archive)
	if err := e.Load(t.Context(), archive); err != nil {
		t.Fatal(err)
	}
	l.subnet = l.createNetwork(t)
	return l
}

// removeDead removes what runs of the test that were killed have left.
func removeDead(t *testing.T, e *engine.Engine) {
	t.Helper()
	containers, err := e.List(t.Context(), testLabel)
	for _, c := range containers {
		if isDead(c.Labels[testLabel]) {
			err = errors.Join(err, e.Remove(t.Context(), c.Name))
		}
	}
	networks, listed := e.Networks(t.Context(), testLabel)
	for _, n := range networks {
		if isDead(n.Labels[testLabel]) {
			err = errors.Join(err, e.RemoveNetwork(t.Context(), n.Name))
		}
	}
	if err := errors.Join(err, listed); err != nil {
		t.Fatal(err)
	}
}

// isDead reports whether the process whose number ends a name is gone, or is this one, which has made nothing yet.
func isDead(name string) bool {
	pid, err := strconv.Atoi(name[strings.LastIndex(name, "-")+1:])
	return err == nil && (pid == os.Getpid() || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH))
}

func (l laboratory) image() string  { return l.name + ":1" }
func (l laboratory) labels() string { return testLabel + "=" + l.name }

func (l laboratory) clean(t *testing.T) {
	ctx := context.WithoutCancel(t.Context())
	containers, err := l.List(ctx, l.labels())
	if err != nil {
		t.Error(err)
	}
	for _, c := range containers {
		err = errors.Join(err, l.Remove(ctx, c.Name))
	}
	if err := errors.Join(err, l.RemoveNetwork(ctx, l.name), l.RemoveImage(ctx, l.image())); err != nil {
		t.Error(err)
	}
}

// createNetwork makes the network with the first subnets that are free.
func (l laboratory) createNetwork(t *testing.T) netip.Prefix {
	t.Helper()
	for n := 200; n < 250; n++ {
		subnet := netip.MustParsePrefix(fmt.Sprintf("10.%d.0.0/16", n))
		pools := []engine.Pool{{
			Subnet: subnet, Range: netip.MustParsePrefix(fmt.Sprintf("10.%d.128.0/17", n)), Gateway: netip.MustParseAddr(fmt.Sprintf("10.%d.128.1", n)),
		}}
		err := l.CreateNetwork(t.Context(), engine.NetworkSpec{Name: l.name, Labels: map[string]string{testLabel: l.name}, Pools: pools})
		if err == nil {
			return subnet
		}
		if !errors.Is(err, simcloud.InUse) {
			t.Fatal(err)
		}
	}
	t.Fatal("no subnet is free")
	return netip.Prefix{}
}

// run starts a container that waits, with the address that ends in this number.
func (l laboratory) run(t *testing.T, name string, last int, flags ...string) string {
	t.Helper()
	name = l.name + "-" + name
	err := l.Run(t.Context(), engine.RunSpec{
		Name: name, Image: l.image(), Hostname: "host", Network: l.name, Addresses: []netip.Addr{l.address(last)},
		Labels: map[string]string{testLabel: l.name}, Flags: flags,
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func (l laboratory) address(last int) netip.Addr {
	bytes := l.subnet.Addr().As4()
	bytes[3] = byte(last)
	return netip.AddrFrom4(bytes)
}

// buildImage writes an image of the program in testdata/guest.
func buildImage(t *testing.T, name, archive string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "guest")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "./testdata/guest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	image := ociimage.Image{
		Name: name, Title: "guest", Version: "1", Architecture: runtime.GOARCH, Entrypoint: []string{"/guest"}, Command: []string{"wait"},
		Files: []ociimage.File{{Path: "guest", Mode: 0o755, Content: content}},
	}
	if err := image.WriteFile(archive); err != nil {
		t.Fatal(err)
	}
}

// dockerOutput runs the engine's command with flags that the package has no need of.
func dockerOutput(t *testing.T, command string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), command, args...).CombinedOutput()
	return string(out), err
}
