// Package owned opens files and folders at names that other users of the machine can foretell, such as those below /tmp. It uses none
// that another user could have put there.
package owned

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Is reports whether a file belongs to the user of this process.
func Is(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// IsFolder reports whether a path is a folder of this user, and no link to one.
func IsFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && Is(info)
}

// private are the permissions of a folder that no other user reads or writes.
const private = 0o700

// Folder makes a folder that only this user reads and writes, unless it is there. It refuses a link, and what is another user's.
func Folder(path string) error {
	if err := os.Mkdir(path, private); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: remove it", path)
	case !Is(info):
		return fmt.Errorf("%s belongs to another user: ask for its removal", path)
	case info.Mode().Perm() != private:
		return os.Chmod(path, private)
	}
	return nil
}

// Runtime is the path of a folder for what the processes of this user share on this machine: in XDG_RUNTIME_DIR where that is a
// folder of the user, else in /tmp, with the user's id in its name. It is not in TMPDIR, which may differ between processes.
func Runtime(name string) string {
	if base := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(base) && IsFolder(base) {
		return filepath.Join(base, name)
	}
	return filepath.Join("/tmp", fmt.Sprintf("%s-%d", name, os.Geteuid()))
}

// Open opens a regular file of this user, as os.OpenFile does; it never follows a link at the end of the path, nor waits for a FIFO.
func Open(path string, flag int, perm os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file: remove it", path)
	case !Is(info):
		err = fmt.Errorf("%s belongs to another user: ask for its removal", path)
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}
