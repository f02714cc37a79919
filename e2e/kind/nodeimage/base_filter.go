package nodeimage

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// filterRoot copies the archive of a Debian root without what a node does not
// need, or what would be wrong in a container. The units that go are those
// that the Dockerfile of kind's own image takes away.
func filterRoot(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()

	source, target := tar.NewReader(in), tar.NewWriter(out)
	for {
		header, err := source.Next()
		if errors.Is(err, io.EOF) {
			return target.Close()
		}
		if err != nil {
			return err
		}
		if err := filterEntry(header, source, target); err != nil {
			return err
		}
	}
}

func filterEntry(header *tar.Header, content io.Reader, target *tar.Writer) error {
	name := relative(header.Name)
	if name == "" || unwanted(name) {
		return nil
	}
	header.Name = name
	switch header.Typeflag {
	case tar.TypeDir:
		header.Name += "/"
	case tar.TypeLink:
		header.Linkname = relative(header.Linkname)
	}
	header.ModTime, header.AccessTime, header.ChangeTime = epoch(), time.Time{}, time.Time{}
	header.Uname, header.Gname = "", ""
	if err := target.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(target, content)
	return err
}

// relative is a path of the archive as it is written here: below the root, without a dot.
func relative(name string) string { return strings.Trim(path.Clean("/"+name), "/") }

// unwanted reports whether a path is left out.
func unwanted(name string) bool {
	dir, file := path.Split(name)
	for _, below := range []string{
		"dev/", "proc/", "sys/", "run/", "boot/", "var/cache/", "var/log/", "var/lib/apt/lists/", "var/lib/systemd/", "var/lib/dbus/",
		"usr/lib/systemd/system/multi-user.target.wants/", "usr/lib/systemd/system/local-fs.target.wants/",
		"usr/lib/systemd/system/basic.target.wants/", "usr/share/lintian/", "usr/share/info/",
	} {
		if strings.HasPrefix(name, below) {
			return true
		}
	}
	switch dir {
	case "etc/":
		return slices.Contains([]string{"hostname", "resolv.conf", "machine-id"}, file) // another's
	case "etc/apt/apt.conf.d/", "etc/dpkg/dpkg.cfg.d/":
		return file == "99mmdebstrap" // the settings of the build
	case "usr/lib/cni/":
		return !slices.Contains(cniPlugins(), file)
	case "usr/lib/systemd/system/sockets.target.wants/":
		return strings.Contains(file, "udev") || strings.Contains(file, "initctl")
	case "usr/lib/systemd/system/sysinit.target.wants/":
		return file == "systemd-tmpfiles-setup.service"
	}
	return strings.HasPrefix(dir, "etc/systemd/system/") && strings.HasSuffix(dir, ".wants/")
}

// cniPlugins are those that pods' networks need here: pairs of interfaces,
// addresses from the node's range, and ports of the node.
func cniPlugins() []string { return []string{"host-local", "loopback", "portmap", "ptp"} }

// epoch is the time of everything: that of the build would be another each time.
func epoch() time.Time { return time.Unix(0, 0).UTC() }
