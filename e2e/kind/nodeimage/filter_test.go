package nodeimage

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entries returns what a tar archive holds: contents of files, targets of links.
func entries(t *testing.T, from io.Reader) map[string]string {
	t.Helper()
	found := map[string]string{}
	for in := tar.NewReader(from); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(epoch()) || header.Uname != "" {
			t.Errorf("%s has the time %s and the owner %q of this machine", header.Name, header.ModTime, header.Uname)
		}
		if _, twice := found[header.Name]; twice {
			t.Errorf("%s is there twice", header.Name)
		}
		found[header.Name] = header.Linkname + string(content)
	}
}

// debianTar writes an archive as mmdebstrap does; values that begin with ">" are links.
func debianTar(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Name: "./" + name, Mode: 0o644, Typeflag: tar.TypeReg, Size: int64(len(files[name])), ModTime: time.Unix(1e9, 0), Uname: "root"}
		switch content := files[name]; {
		case name[len(name)-1] == '/':
			header.Typeflag, header.Size = tar.TypeDir, 0
		case content != "" && content[0] == '>':
			header.Typeflag, header.Size, header.Linkname = tar.TypeSymlink, 0, content[1:]
		case content != "" && content[0] == '=':
			header.Typeflag, header.Size, header.Linkname = tar.TypeLink, 0, "./"+content[1:]
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if header.Size > 0 {
			if _, err := io.WriteString(w, files[name]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "debian.tar")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilterRoot(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "root.tar")
	err := filterRoot(debianTar(t, map[string]string{
		"dev/": "", "dev/null": "", "etc/": "", "etc/hostname": "host", "etc/resolv.conf": "host's", "etc/passwd": "root",
		"etc/systemd/system/timers.target.wants/apt.timer": ">/lib/systemd/system/apt.timer",
		"lib":          ">usr/lib",
		"usr/bin/perl": "perl", "usr/bin/perl5": "=usr/bin/perl",
		"usr/lib/cni/ptp": "ptp", "usr/lib/cni/vlan": "vlan",
		"usr/lib/systemd/system/dbus.service":                                        "unit",
		"usr/lib/systemd/system/multi-user.target.wants/getty.target":                ">../getty.target",
		"usr/lib/systemd/system/sockets.target.wants/dbus.socket":                    ">../dbus.socket",
		"usr/lib/systemd/system/sockets.target.wants/systemd-udevd-kernel.socket":    ">../systemd-udevd-kernel.socket",
		"usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service": ">../x",
		"usr/lib/systemd/system/sysinit.target.wants/systemd-journald.service":       ">../y",
		"var/cache/apt/pkgcache.bin":                                                 "cache", "var/lib/apt/lists/deb": "list", "var/lib/dpkg/status": "status",
	}), to)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"dev/": "", "etc/": "", "etc/passwd": "root", "lib": "usr/lib",
		"usr/bin/perl": "perl", "usr/bin/perl5": "usr/bin/perl", "usr/lib/cni/ptp": "ptp",
		"usr/lib/systemd/system/dbus.service":                                  "unit",
		"usr/lib/systemd/system/sockets.target.wants/dbus.socket":              "../dbus.socket",
		"usr/lib/systemd/system/sysinit.target.wants/systemd-journald.service": "../y",
		"var/lib/dpkg/status": "status",
	}
	if diff := cmp.Diff(want, entries(t, bytes.NewReader(raw))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSourceLines takes mirrors, and leaves other vendors, other releases and what holds no packages out.
func TestSourceLines(t *testing.T) {
	t.Parallel()
	got := sourceLines(`Packages http://mirror.example.org/debian/ bookworm main
Packages http://mirror.example.org/debian/ bookworm main
DEP-11 http://mirror.example.org/debian/ bookworm main
Packages http://mirror.example.org/debian/ bookworm contrib
Packages http://mirror.example.org/debian/ bookworm-updates main
Packages https://mirror.example.org/debian-security/ bookworm-security main
Packages https://deb.nodesource.com/node_20.x/ nodistro main
Packages http://mirror.example.org/debian/ trixie main

`, "bookworm", "[signed-by=/k] ")
	want := []string{
		"deb [signed-by=/k] http://mirror.example.org/debian/ bookworm main",
		"deb [signed-by=/k] http://mirror.example.org/debian/ bookworm-updates main",
		"deb [signed-by=/k] https://mirror.example.org/debian-security/ bookworm-security main",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOSRelease(t *testing.T) {
	t.Parallel()
	got := osRelease("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_CODENAME=bookworm\n# a comment\nID='debian'\n")
	want := map[string]string{"PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)", "VERSION_CODENAME": "bookworm", "ID": "debian"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
