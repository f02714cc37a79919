package store

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// crashVariable names the file that a child of the test migrates and dies in the middle of.
const crashVariable = "SIMCLOUD_TEST_MIGRATE"

// TestMigrationCrash: a process that is killed when all steps of a migration
// have run, and nothing is committed, leaves the old file whole.
func TestMigrationCrash(t *testing.T) {
	if path := os.Getenv(crashVariable); path != "" {
		dieInMigration(t, path)
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cloud.db")
	before := fixture(t, "v1")
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigrationCrash$")
	child.Env = append(os.Environ(), crashVariable+"="+path)
	if out, err := child.CombinedOutput(); err == nil || child.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
	view(t, path, func(tx *Tx) {
		if version, _, err := schema.Get(tx); err != nil || version != 1 {
			t.Errorf("version %d, %v, want 1", version, err)
		}
		if tx.bolt.Bucket([]byte(tokensV1.name)) == nil || tx.bolt.Bucket([]byte("token")) != nil {
			t.Error("the file is neither old nor new")
		}
	})
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file has changed, %v", err)
	}
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the file is the test's own
	if err := db.Check(); err != nil {
		t.Error(err)
	}
}

func dieInMigration(t *testing.T, path string) {
	file, err := bolt.Open(path, 0o600, &bolt.Options{FreelistType: bolt.FreelistMapType})
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{bolt: file, path: path, opts: Options{}.withDefaults()}
	t.Fatal(db.alone(func(tx *Tx) error {
		if err := migrate(tx, migrations[:]); err != nil {
			return err
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}))
}

func view(t *testing.T, path string, fn func(*Tx)) {
	t.Helper()
	file, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	if err := file.View(func(tx *bolt.Tx) error { fn(&Tx{bolt: tx}); return nil }); err != nil {
		t.Fatal(err)
	}
}

// fixture is the data file that a former release has left.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name+".db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
