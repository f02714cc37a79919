package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// burst is what a burst of creates was told.
type burst struct {
	mu    sync.Mutex
	asked map[string]bool        // by name, which is also the idempotency key
	acked map[string]simcloud.ID // of those, the ones that were acknowledged
	many  chan struct{}          // closed when enough were
}

const (
	burstClients = 32
	burstEnough  = 300 // acknowledged creates before the crash
)

// run creates instances until the cloud does not answer any more.
func (b *burst) run(t *testing.T, c *client.Client) {
	var clients sync.WaitGroup
	for n := range burstClients {
		clients.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("node-%d-%d", n, i)
				b.ask(name)
				res, err := createInstance(t, c, name)
				if err != nil {
					return
				}
				b.ack(name, res.Resource.ID)
			}
		})
	}
	clients.Wait()
}

func createInstance(t *testing.T, c *client.Client, name string) (simcloud.Result[simcloud.Instance], error) {
	return c.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: name}, simcloud.IdempotencyKey(name))
}

func (b *burst) ask(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked[name] = true
}

func (b *burst) ack(name string, id simcloud.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.acked[name] = id; len(b.acked) == burstEnough {
		close(b.many)
	}
}

// TestServeKilledInABurst: kill -9 in the middle of many creates loses nothing
// that was acknowledged, and repeating every create makes nothing twice.
func TestServeKilledInABurst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	args := []string{"--data", filepath.Join(dir, "cloud.db"), "--token-file", token}
	connect := func(s *served, retries int) *client.Client {
		c, err := client.New(client.Config{Endpoint: s.url(), TokenFile: token, Retries: retries, Timeout: simtest.Patience})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}

	first, err := startServe(dir, os.Environ(), args)
	if err != nil {
		t.Fatal(err)
	}
	b := &burst{asked: map[string]bool{}, acked: map[string]simcloud.ID{}, many: make(chan struct{})}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		select {
		case <-b.many:
		case <-t.Context().Done():
		}
		_ = first.end(syscall.SIGKILL) // its wait says that it was killed
	}()
	t.Cleanup(func() { <-killed })
	b.run(t, connect(first, -1))
	if len(b.acked) < burstEnough {
		t.Fatalf("%d of %d creates were acknowledged before the cloud was killed", len(b.acked), burstEnough)
	}
	<-killed
	t.Logf("%d creates asked for, %d acknowledged", len(b.asked), len(b.acked))
	if len(b.asked) <= len(b.acked) {
		t.Error("the kill hit no create under way")
	}

	second, err := startServe(dir, os.Environ(), args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.end(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	})
	checkBurst(t, connect(second, 0), b)
}

// TestServeEndsInWords: a data file that is cut under a cloud ends it with exit
// code 3 and with what to do, and its callers with Unavailable.
func TestServeEndsInWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, token := filepath.Join(dir, "cloud.db"), filepath.Join(dir, "token")
	s, err := startServe(dir, os.Environ(), []string{"--data", file, "--token-file", token})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{Endpoint: s.url(), TokenFile: token, Retries: -1, Timeout: simtest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := createInstance(t, c, "node"); simcloud.CodeOf(err) != simcloud.Unavailable || strings.Contains(err.Error(), file) {
		t.Errorf("a call gets %v", err)
	}
	var ended *exec.ExitError
	if err := s.wait(); !errors.As(err, &ended) || ended.ExitCode() != exit.CodeEnvironment {
		t.Errorf("it ends with %v", err)
	}
	said := fmt.Sprint(s.cmd.Stderr)
	if !strings.Contains(said, `look at it with "simcloud check"`) || !strings.Contains(said, file) || strings.Contains(said, "goroutine ") {
		t.Errorf("it says:\n%s", said)
	}
}

func checkBurst(t *testing.T, c *client.Client, b *burst) {
	t.Helper()
	for name, id := range b.acked {
		if got, err := c.GetInstance(t.Context(), id); err != nil || got.Name != name {
			t.Errorf("%s was acknowledged as %s: it is %q, %v", name, id, got.Name, err)
		}
	}
	for name := range b.asked {
		res, err := createInstance(t, c, name)
		if id, acked := b.acked[name]; err != nil || (acked && res.Resource.ID != id) {
			t.Errorf("%s, acknowledged as %q, is %s when repeated: %v", name, id, res.Resource.ID, err)
		}
	}
	all, err := simcloud.ListAll(t.Context(), c.ListInstances, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]simcloud.ID{}
	for _, instance := range all {
		if first, twice := found[instance.Name]; twice {
			t.Errorf("%s is there twice: %s and %s", instance.Name, first, instance.ID)
		}
		if found[instance.Name] = instance.ID; !b.asked[instance.Name] {
			t.Errorf("%s exists and was not asked for", instance.Name)
		}
	}
	if len(found) != len(b.asked) {
		t.Errorf("%d instances, %d asked for", len(found), len(b.asked))
	}
}
