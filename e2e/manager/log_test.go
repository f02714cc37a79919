package manager

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestPanicScanFindsEachPanicOnce(t *testing.T) {
	t.Parallel()
	scan := &panicScan{path: filepath.Join(t.TempDir(), "ccm.log")}
	if got := scan.scan(); got != nil {
		t.Errorf("no log: got %q", got)
	}
	appendTo(t, scan.path, "I0101 all good, no panic: keep calm\nE0102 runtime.go:142] \"Observed a panic\" panic=\"nil map\"\npani")
	if diff := cmp.Diff([]string{`E0102 runtime.go:142] "Observed a panic" panic="nil map"`}, scan.scan()); diff != "" {
		t.Errorf("first scan (-want +got):\n%s", diff)
	}
	appendTo(t, scan.path, "c: boom\n\ngoroutine 1 [running]:\nfatal error: all goroutines are asleep\n")
	if diff := cmp.Diff([]string{"panic: boom", "fatal error: all goroutines are asleep"}, scan.scan()); diff != "" {
		t.Errorf("second scan, which begins in the middle of a line (-want +got):\n%s", diff)
	}
	if got := scan.scan(); got != nil {
		t.Errorf("third scan found %q again", got)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if got := tail(path, 3); got != nil {
		t.Errorf("no file: got %q", got)
	}
	appendTo(t, path, "a\nb\nc\n")
	if diff := cmp.Diff([]string{"b", "c"}, tail(path, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
