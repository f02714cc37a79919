package sim_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// open starts a cloud that the test closes.
func open(t *testing.T, cfg sim.Config) *sim.Cloud {
	t.Helper()
	cloud, err := sim.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, cloud) })
	return cloud
}

func shut(t *testing.T, cloud *sim.Cloud) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), simtest.Patience)
	defer cancel()
	if err := cloud.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
}

func dial(t *testing.T, cfg client.Config) *client.Client {
	t.Helper()
	return simtest.Dial(t, cfg)
}

// TestRestartKeepsEverything: what was made is there after a restart, and so is the token.
func TestRestartKeepsEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := sim.Config{Data: filepath.Join(dir, "cloud.db"), TokenFile: filepath.Join(dir, "token")}

	first := open(t, cfg)
	if !first.TokenCreated() {
		t.Error("the first start has made no token")
	}
	info, err := os.Stat(cfg.TokenFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v, %v; want mode 0600", info, err)
	}
	made, err := dial(t, client.Config{Endpoint: first.URL(), TokenFile: cfg.TokenFile}).
		CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "node-1"})
	if err != nil {
		t.Fatal(err)
	}
	shut(t, first)

	second := open(t, cfg)
	if second.TokenCreated() || second.Token() != first.Token() {
		t.Error("the second start has made another token")
	}
	got, err := dial(t, client.Config{Endpoint: second.URL(), Token: first.Token()}).GetInstance(t.Context(), made.Resource.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made.Resource, got); diff != "" {
		t.Errorf("the instance after a restart (-before +after):\n%s", diff)
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	t.Run("given", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "token")
		cloud := open(t, sim.Config{Ephemeral: true, Token: "s3cret", TokenFile: file})
		if raw, err := os.ReadFile(file); err != nil || string(raw) != "s3cret\n" {
			t.Errorf("the token file has %q, %v", raw, err)
		}
		if _, err := dial(t, client.Config{Endpoint: cloud.URL(), Token: "s3cret"}).GetState(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("the file's", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("from-the-file\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		cloud := open(t, sim.Config{Ephemeral: true, TokenFile: file})
		info, err := os.Stat(file)
		if cloud.Token() != "from-the-file" || err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("token %q, %v, %v; want that of the file, mode 0600", cloud.Token(), info, err)
		}
	})
	t.Run("random", func(t *testing.T) {
		t.Parallel()
		a, b := open(t, sim.Config{Ephemeral: true}), open(t, sim.Config{Ephemeral: true})
		if len(a.Token()) < 43 || a.Token() == b.Token() {
			t.Errorf("tokens %q and %q are not 32 random bytes each", a.Token(), b.Token())
		}
	})
	t.Run("in no clear text in the data file", func(t *testing.T) {
		t.Parallel()
		cfg := sim.Config{Data: filepath.Join(t.TempDir(), "cloud.db")}
		cloud := open(t, cfg)
		shut(t, cloud)
		raw, err := os.ReadFile(cfg.Data)
		if err != nil || strings.Contains(string(raw), cloud.Token()) {
			t.Errorf("the data file has the secret (%v)", err)
		}
		if again := open(t, cfg); again.Token() != "" || again.TokenCreated() {
			t.Error("a restart without a token file knows or makes a token")
		}
	})
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	running := filepath.Join(dir, "running.db")
	open(t, sim.Config{Data: running})
	known := filepath.Join(dir, "known.db")
	shut(t, open(t, sim.Config{Data: known}))

	for _, c := range []struct {
		name string
		cfg  sim.Config
		code simcloud.Code
		says string
	}{
		{"neither data nor ephemeral", sim.Config{}, simcloud.Invalid, "data"},
		{"both", sim.Config{Data: "x", Ephemeral: true}, simcloud.Invalid, "data"},
		{"bad address", sim.Config{Ephemeral: true, Listen: "localhost"}, simcloud.Invalid, "listen"},
		{"bad port", sim.Config{Ephemeral: true, Listen: "127.0.0.1:http"}, simcloud.Invalid, "listen"},
		{"bad clock", sim.Config{Ephemeral: true, Clock: simcloud.ClockSpec{Mode: "fast"}}, simcloud.Invalid, "mode"},
		{"taken port", sim.Config{Ephemeral: true, Listen: taken.Addr().String()}, simcloud.Unavailable, taken.Addr().String() + " is taken"},
		{"foreign address", sim.Config{Ephemeral: true, Listen: "192.0.2.1:0"}, simcloud.Unavailable, "192.0.2.1"},
		{"locked file", sim.Config{Data: running}, simcloud.Unavailable, "in use by another process"},
		{"damaged file", sim.Config{Data: write("damaged.db", strings.Repeat("garbage ", 9999))}, simcloud.Unavailable, "damaged"},
		{"no folder", sim.Config{Data: filepath.Join(dir, "none", "cloud.db")}, simcloud.Unavailable, filepath.Join(dir, "none")},
		{"no folder for the token", sim.Config{Ephemeral: true, TokenFile: filepath.Join(dir, "none", "token")}, simcloud.Unavailable, "token file"},
		{"no token in the token file", sim.Config{Ephemeral: true, TokenFile: write("two lines", "one\ntwo\n")}, simcloud.Invalid, "two lines: holds no token"},
		{"another cloud's token", sim.Config{Data: known, TokenFile: write("strange", "strange-token\n")}, simcloud.Unauthenticated, "does not know the token in the token file"},
		{"a strange token", sim.Config{Data: known, Token: "strange-token"}, simcloud.Unauthenticated, "does not know the given token"},
		{"no folder for the token, new file", sim.Config{Data: filepath.Join(dir, "new.db"), TokenFile: filepath.Join(dir, "none", "token")}, simcloud.Unavailable, "create its folder " + filepath.Join(dir, "none")},
		{"token file is a folder", sim.Config{Ephemeral: true, TokenFile: dir}, simcloud.Unavailable, "token file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cloud, err := sim.Open(t.Context(), c.cfg)
			if err == nil {
				shut(t, cloud)
			}
			if simcloud.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "new.db")); err == nil {
		t.Error("a data file was made before the token file was tried")
	}
}

// TestCloseEndsWhatLasts: neither streams nor silent connections keep a cloud from closing.
func TestCloseEndsWhatLasts(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true})
	c := dial(t, client.Config{Endpoint: cloud.URL(), Token: cloud.Token()})
	silent, err := net.Dial("tcp", strings.TrimPrefix(cloud.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()

	state, err := c.GetState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	began := make(chan struct{})
	go func() {
		var last error
		for _, err := range c.WatchEvents(t.Context(), state.Revision-1) {
			if last = err; err == nil {
				close(began)
			}
		}
		ended <- last
	}()
	<-began
	shut(t, cloud)
	if err := <-ended; !errors.Is(err, simcloud.Unavailable) || !strings.Contains(err.Error(), "closing") {
		t.Errorf("the stream ended in %v, want Unavailable that says why", err)
	}
	if res, err := http.Get(cloud.URL() + "/healthz"); err == nil {
		_ = res.Body.Close()
		t.Error("a closed cloud answers")
	}
}

// TestEphemeralLeavesNothing: the folder of an ephemeral cloud is deleted with it.
func TestEphemeralLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	shut(t, open(t, sim.Config{Ephemeral: true}))
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestLongHeaders are refused before they are parsed.
func TestLongHeaders(t *testing.T) {
	t.Parallel()
	cloud := open(t, sim.Config{Ephemeral: true})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cloud.URL()+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Long", strings.Repeat("x", 128<<10))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", res.StatusCode)
	}
}
