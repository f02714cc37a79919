package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

func TestLastLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		log  string
		n    int
		want string
	}{
		{"a\nb\nc\n", 2, "b\nc\n"}, {"a\nb\nc", 2, "b\nc"}, {"a\nb\n", 5, "a\nb\n"}, {"a\nb\n", 0, ""}, {"", 3, ""}, {"\n\n", 1, "\n"},
	} {
		if got := test.log[lastLines([]byte(test.log), test.n):]; got != test.want {
			t.Errorf("the last %d of %q are %q, want %q", test.n, test.log, got, test.want)
		}
	}
}

// TestNewerThan reads the times of all the programs of a sandbox.
func TestNewerThan(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 1, 0, 0, 10, 0, time.Local)
	full := func(seconds int, layout string) string {
		return moment.Add(time.Duration(seconds) * time.Second).Format(layout)
	}
	for name, line := range map[string]func(seconds int) string{
		"slog": func(s int) string { return "time=" + full(s, time.RFC3339Nano) + " level=INFO msg=x" },
		"etcd": func(s int) string {
			return `{"level":"info","ts":"` + full(s, "2006-01-02T15:04:05.000000Z0700") + `"}`
		},
		"klog":  func(s int) string { return full(s, "I0102 15:04:05.000000") + "    7 a.go:1] x" },
		"plain": func(s int) string { return full(s, time.RFC3339) + " x" },
	} {
		old, fresh := line(-30)+"\n  its second line\n", line(0)+"\n  of the new one\n"
		if got := (old + fresh)[newerThan([]byte(old+fresh), moment):]; got != fresh {
			t.Errorf("%s: the log\n%sbegins with %q", name, old+fresh, got)
		}
		if at := newerThan([]byte(old), moment); at != len(old) {
			t.Errorf("%s: of old lines %q is left", name, old[at:])
		}
	}
}

// TestLogsOfAMachine: machines are named as nodes are, and a log can be cut.
func TestLogsOfAMachine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := testSandbox(t, "default").Path("logs", "node-node-1.log")
	text := "I" + time.Now().Add(-time.Hour).Format("0102 15:04:05.000000") + " 1 a.go:1] old\n" +
		"I" + time.Now().Format("0102 15:04:05.000000") + " 1 a.go:1] new\nlast\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text, "\n")
	for _, test := range []struct{ args, want string }{
		{"node-1", text}, {"node-node-1", text}, {"node-1 --tail 1", lines[2]}, {"node-1 --since 5m", lines[1] + lines[2]},
		{"node-1 --since 5m --tail 1", lines[2]}, {"node-1 --tail 0", ""},
	} {
		if code, out, errs := simcloudMain(append([]string{"logs"}, strings.Fields(test.args)...)...); code != exit.CodeOK || out != test.want {
			t.Errorf("logs %s: code %d, %q, %s; want %q", test.args, code, out, errs, test.want)
		}
	}
	if _, out, _ := simcloudMain("__complete", "logs", ""); !strings.HasPrefix(out, "node-1\n") {
		t.Errorf("the completion is %q", out)
	}
	if _, out, _ := simcloudMain("__complete", "logs", "--sandbox", ""); !strings.HasPrefix(out, "default\n") {
		t.Errorf("the completion of --sandbox is %q", out)
	}
	if code, _, errs := simcloudMain("logs", "node-2"); code != exit.CodeUsage || !strings.Contains(errs, "there are: node-1\n") {
		t.Errorf("code %d, %s; want the logs by the names of nodes", code, errs)
	}
	if code, _, errs := simcloudMain("logs", "node-1", "--since", "-5m"); code != exit.CodeUsage || !strings.Contains(errs, "--since") {
		t.Errorf("code %d, %s; want --since", code, errs)
	}
}
