package cli

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// socket is where a process listens. Its port may soon be another's; its inode, if /proc tells it, may not.
type socket struct{ address, inode string }

// socketsOf are the TCP sockets on which the processes listen. Where there is no /proc there are none.
func socketsOf(pids []int) []socket {
	inodes := map[string]bool{}
	for _, pid := range pids {
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is valid
		for _, link := range links {
			target, _ := os.Readlink(link) // one that is gone has no target
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	return slices.DeleteFunc(openSockets(), func(s socket) bool { return !inodes[s.inode] })
}

// openSockets are the TCP sockets of this host on which a process listens.
func openSockets() []socket {
	const listening = "0A"
	var open []socket
	table, _ := os.ReadFile("/proc/net/tcp")
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[3] != listening {
			continue
		}
		_, hex, _ := strings.Cut(fields[1], ":")
		if port, err := strconv.ParseUint(hex, 16, 16); err == nil {
			open = append(open, socket{fmt.Sprintf("127.0.0.1:%d", port), fields[9]})
		}
	}
	return open
}

// stillOpen are those of the sockets on which a process still listens.
func stillOpen(sockets []socket) []socket {
	open := openSockets()
	return slices.DeleteFunc(slices.Clone(sockets), func(s socket) bool {
		if s.inode != "" {
			return !slices.Contains(open, s)
		}
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
}

// TestASocketIsNotItsPort: who listens on a port after its socket was closed has another one.
func TestASocketIsNotItsPort(t *testing.T) {
	t.Parallel()
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := first.Addr().String()
	was := socketsAt(t, []int{os.Getpid()}, "http://"+address)
	if len(stillOpen(was)) != 1 {
		t.Errorf("%v is closed, want it open", was)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if second, err := net.Listen("tcp", address); err == nil { // or another process has the port by now, which serves as well
		t.Cleanup(func() { _ = second.Close() })
	}
	if _, err := os.Stat("/proc/net/tcp"); err == nil && len(stillOpen(was)) != 0 {
		t.Errorf("%v is open, want only its port to be", was)
	}
}
