package kind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
)

var errEnded = errors.New("the test has seen enough")

func TestWhatIsMadeLateIsEndedToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		acts := 0
		done := whileEnding(ctx, func() { acts++ })
		time.Sleep(time.Minute)
		if acts != 0 {
			t.Errorf("acted %d times before the end", acts)
		}
		cancel()
		time.Sleep(10*endingPeriod + endingPeriod/2)
		done()
		if acts != 11 {
			t.Errorf("acted %d times, want 11: until all is done", acts)
		}
		whileEnding(t.Context(), func() { t.Error("acted without an end") })()
	})
}

func TestTheWaitForTheVariableEnds(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		first <- withNetwork(t.Context(), "SIMCLOUD_TEST_NETWORK", "a", "docker", func() error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnded)
	never := func() error {
		t.Error("it ran after the end of its context")
		return nil
	}
	if err := withNetwork(ctx, "SIMCLOUD_TEST_NETWORK", "b", "docker", never); !errors.Is(err, errEnded) {
		t.Errorf("while another is made: got %v, want %v", err, errEnded)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := withNetwork(ctx, "SIMCLOUD_TEST_NETWORK", "b", "docker", never); !errors.Is(err, errEnded) {
		t.Errorf("when none is made: got %v, want %v", err, errEnded)
	}
	seen := ""
	err := withNetwork(t.Context(), "SIMCLOUD_TEST_NETWORK", "c", "docker", func() error { seen = os.Getenv("SIMCLOUD_TEST_NETWORK"); return nil })
	if _, set := os.LookupEnv("SIMCLOUD_TEST_NETWORK"); err != nil || seen != "c" || set {
		t.Errorf("%v: kind saw %q, want c; set afterwards: %t", err, seen, set)
	}
}

// fakeDocker is an engine that answers these cases of its command, as a shell writes them, alone.
func fakeDocker(t *testing.T, cases string) *engine.Engine {
	t.Helper()
	dir := t.TempDir()
	script := `#!/bin/sh
case "$1" in
version) echo '{"Client":{"Version":"28.2"},"Server":{"Version":"28.2"}}';;
info) echo '{}';;
` + cases + `
*) echo "unexpected: $*" >&2; exit 1;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	e, err := engine.Find(t.Context(), "docker")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A pull can take minutes; it ends with its context.
func TestTheEndOfTheContextEndsAPull(t *testing.T) {
	e := fakeDocker(t, `image) echo 'Error: No such image: n' >&2; exit 1;;
pull) exec /bin/sleep 600;;`)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var told []string
	pulling := func(line string) {
		told = append(told, line)
		time.AfterFunc(100*time.Millisecond, func() { cancel(errEnded) })
	}
	b, err := New(Config{Name: "c", Dir: t.TempDir(), Engine: e, Image: "n", Progress: pulling})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.createWithKind(ctx, &plane{}); !errors.Is(err, errEnded) || len(told) != 1 {
		t.Errorf("got %v, told %q: want %v, and to be told of the pull", err, told, errEnded)
	}
}
