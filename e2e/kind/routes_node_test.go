package kind

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// netns starts a network of its own, as a container has one, and returns what
// runs programs in it.
func netns(t *testing.T) execute {
	t.Helper()
	cmd := exec.Command("unshare", "--net", "sh", "-ec", `
		ip link add eth0 type veth peer name other
		# Link-local addresses would come later, when the kernel gets to them, and their routes with them.
		ip link set eth0 addrgenmode none || true
		ip link set other addrgenmode none || true
		ip link set eth0 up
		ip link set other up
		ip address add 10.9.0.1/24 dev eth0
		ip route add default via 10.9.0.254
		ip -6 address add fd09::1/64 dev eth0 nodad || true
		echo ready
		read wait`)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Skipf("no network namespaces here: %v", err)
	}
	ready, _ := bufio.NewReader(stdout).ReadString('\n')
	end := func() {
		_ = stdin.Close() // which ends the shell
		_ = cmd.Wait()
	}
	if ready != "ready\n" {
		end()
		t.Skipf("no network namespaces here: %s", stderr.String())
	}
	t.Cleanup(end)
	return func(ctx context.Context, in io.Reader, argv ...string) ([]byte, error) {
		run := exec.CommandContext(ctx, "nsenter", append([]string{"--target", strconv.Itoa(cmd.Process.Pid), "--net"}, argv...)...)
		run.Stdin = in
		var failure bytes.Buffer
		run.Stderr = &failure
		out, err := run.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, failure.Bytes())
		}
		return out, err
	}
}

// TestSyncRoutesOnLinux: the commands do on a real system what is wanted, and touch nothing else.
func TestSyncRoutesOnLinux(t *testing.T) {
	t.Parallel()
	run := netns(t)
	show := func() string {
		t.Helper()
		out, err := run(t.Context(), nil, "sh", "-c", "ip -4 route show; ip -6 route show")
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	six := strings.Contains(show(), "fd09::/64")
	before := show()
	for _, c := range []struct {
		what   string
		wanted []route
		fails  bool
	}{
		{"new ones", []route{{"10.244.1.0/24", "10.9.0.2"}, {"10.244.2.7/32", "10.9.0.3"}, {"fd00:10:244:1::/64", "fd09::2"}}, false},
		{"the same", []route{{"10.244.1.0/24", "10.9.0.2"}, {"10.244.2.7/32", "10.9.0.3"}, {"fd00:10:244:1::/64", "fd09::2"}}, false},
		{"another next hop", []route{{"10.244.1.0/24", "10.9.0.9"}, {"10.244.2.7/32", "10.9.0.3"}, {"fd00:10:244:1::/64", "fd09::9"}}, false},
		{"beside those of the system", []route{{"0.0.0.0/0", "10.9.0.2"}, {"10.9.0.0/24", "10.9.0.2"}, {"fd09::/64", "fd09::2"}}, false},
		{"one that cannot be", []route{{"10.244.1.0/24", "192.0.2.1"}, {"10.244.3.0/24", "10.9.0.2"}}, true},
		{"none", nil, false},
	} {
		var wanted []route
		for _, r := range c.wanted {
			if six || !strings.Contains(r.to, ":") {
				wanted = append(wanted, r)
			}
		}
		if err := syncRoutes(t.Context(), run, wanted); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.what, err)
		}
		after := show()
		for line := range strings.Lines(before) {
			if !strings.Contains(after, line) {
				t.Errorf("%s: %q is gone from\n%s", c.what, strings.TrimSpace(line), after)
			}
		}
		for _, r := range wanted {
			line := strings.NewReplacer("0.0.0.0/0", "default", "/32", "").Replace(r.to) + " via " + r.via
			if made := strings.Contains(after, line); made == (r.via == "192.0.2.1") {
				t.Errorf("%s: %s is there: %t\n%s", c.what, line, made, after)
			}
		}
		if n := strings.Count(after, "proto 177"); !c.fails && n != len(wanted) {
			t.Errorf("%s: %d routes, want %d:\n%s", c.what, n, len(wanted), after)
		}
	}
	if after := show(); after != before {
		t.Errorf("in the end:\n%s\nwant\n%s", after, before)
	}
}
