package modeltest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// binary is the simcloud of this source, which TestMain builds.
type binary struct{ path string }

var simcloudBinary binary

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "modeltest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is scratch
	simcloudBinary.path = filepath.Join(dir, "simcloud")
	build := exec.Command("go", "build", "-trimpath", "-o", simcloudBinary.path, "github.com/simcloud-dev/simcloud/cmd/simcloud")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build simcloud: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// cloud is a data file, and the process that serves it.
type cloud struct {
	dir     string
	cmd     *exec.Cmd
	drained chan struct{}
	client  *client.Client
}

func newCloud(t *testing.T) *cloud {
	readSources(t)
	c := &cloud{dir: t.TempDir()}
	t.Cleanup(c.kill)
	return c
}

// readSources reads the folders that the binary is built from: go test then
// does not take a result of before a change for one of now.
func readSources(t *testing.T) {
	t.Helper()
	for _, root := range []string{"..", filepath.Join("..", "..", "cmd", "simcloud")} {
		if err := filepath.WalkDir(root, func(string, fs.DirEntry, error) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *cloud) file() string { return filepath.Join(c.dir, "cloud.db") }

// start serves the file.
func (c *cloud) start(t *testing.T) {
	t.Helper()
	token := filepath.Join(c.dir, "token")
	cmd := exec.Command(simcloudBinary.path, "serve", "--data", c.file(), "--token-file", token, "--log-level", "error")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	ready, err := lines.ReadString('\n')
	c.cmd, c.drained = cmd, make(chan struct{})
	go func() {
		defer close(c.drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	url, ok := strings.CutPrefix(strings.TrimSpace(ready), "simcloud ready on ")
	if !ok {
		c.kill()
		t.Fatalf("serve is not ready: %q, %v\n%s", ready, err, stderr.String())
	}
	if c.client, err = client.New(client.Config{Endpoint: url, TokenFile: token, Retries: -1, Timeout: simtest.Patience}); err != nil {
		t.Fatal(err)
	}
}

// kill is kill -9, as far as it runs.
func (c *cloud) kill() {
	if c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Signal(syscall.SIGKILL)
	<-c.drained
	_ = c.cmd.Wait()     // it says that it was killed
	if c.client != nil { // it was ready once
		c.client.Close()
	}
	c.cmd = nil
}

// check runs "simcloud check" on the file as the kill has left it.
func (c *cloud) check(t *testing.T) {
	t.Helper()
	if out, err := exec.Command(simcloudBinary.path, "check", c.file()).CombinedOutput(); err != nil {
		t.Errorf("simcloud check: %v\n%s", err, out)
	}
}
