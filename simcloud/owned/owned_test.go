package owned_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/owned"
)

// TestFolder: a folder is made for its owner alone, taken when it is there, and refused when it is a link or a file.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for range 2 {
		if err := owned.Folder(path); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Fatalf("it is %v, %v", info.Mode(), err)
		}
		if err := os.Chmod(path, 0o777); err != nil { // as an older version may have left it
			t.Fatal(err)
		}
	}
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{link, file, filepath.Join(dir, "none", "below")} {
		if err := owned.Folder(wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
	if owned.IsFolder(link) || owned.IsFolder(file) || !owned.IsFolder(path) {
		t.Error("a link or a file is a folder, or a folder is not taken")
	}
}

// TestFolderOfAnother: what belongs to another user is refused.
func TestFolderOfAnother(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		if err := owned.Folder("/usr"); err == nil {
			t.Error("a folder of root is taken")
		}
		return
	}
	path := filepath.Join(t.TempDir(), "a")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Skipf("this root cannot give files away: %v", err)
	}
	if err := owned.Folder(path); err == nil || owned.IsFolder(path) {
		t.Error("a folder of another user is taken")
	}
}

// TestOpen: a link is not followed, and a FIFO is not waited for.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := filepath.Join(dir, "made")
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	if err := os.Symlink(made, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{link, fifo} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE} {
			if f, err := owned.Open(wrong, flag, 0o600); err == nil {
				t.Errorf("%s is opened as %s", wrong, f.Name())
			}
		}
	}
	if _, err := os.Lstat(made); err == nil {
		t.Error("a file was made at the end of the link")
	}
	f, err := owned.Open(made, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRuntime: the folder is in XDG_RUNTIME_DIR when that is a folder of the user.
func TestRuntime(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if got, want := owned.Runtime("x"), filepath.Join(dir, "x"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, unusable := range []string{"", "relative", filepath.Join(dir, "none"), "/dev/null"} {
		t.Setenv("XDG_RUNTIME_DIR", unusable)
		if got := owned.Runtime("x"); filepath.Dir(got) != "/tmp" {
			t.Errorf("with %q it is %s", unusable, got)
		}
	}
}
