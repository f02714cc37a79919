package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
)

// envMoments makes TestKilledRunLeavesNothing kill at this many moments more, which chance chooses.
const envMoments = "SIMCLOUD_KILL_MOMENTS"

// moment is when a run is killed, and how.
type moment struct {
	// after is a text of the output that is waited for, and then for that long.
	after string
	later time.Duration
	by    syscall.Signal
}

// TestKilledRunLeavesNothing kills "simcloud test" while clusters start, while
// scenarios run and while they are reset: no process of it lives on, and none
// listens where one did. What a kill -9 leaves on the disk goes with "simcloud down".
// The gate kills one run, in the middle of a step.
func TestKilledRunLeavesNothing(t *testing.T) {
	b := buildBinaries(t)
	crash := moment{"step 2/", 100 * time.Millisecond, syscall.SIGKILL}
	moments := []moment{
		{"cluster 1: starting", 700 * time.Millisecond, syscall.SIGKILL},
		{"cluster 1: starting", 2 * time.Second, syscall.SIGINT},
		crash,
		{"PASS", 50 * time.Millisecond, syscall.SIGTERM},
	}
	if !planetest.InNightly() {
		moments = []moment{crash}
	}
	more, _ := strconv.Atoi(os.Getenv(envMoments))
	for i := range more {
		dice := rand.New(rand.NewPCG(1, uint64(i)))
		moments = append(moments, moment{
			"", time.Duration(dice.IntN(20_000)) * time.Millisecond, []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[i%3],
		})
	}
	for _, m := range moments {
		t.Run(fmt.Sprintf("%s-%s-%s", m.after, m.later, m.by), func(t *testing.T) { killRun(t, b, m) })
	}
}

// killRun starts a run of two scenarios at a time, and kills it.
func killRun(t *testing.T, b binaries, m moment) {
	mark := fmt.Sprintf("SIMCLOUD_KILL_TEST=%s-%d", t.Name(), os.Getpid())
	temp := t.TempDir()
	run := b.command("simcloud", "test", "-l", "tier=core", "--parallel", "2", "--verbose")
	run.Env = append(run.Env, mark, "TMPDIR="+temp)
	run.Stderr = t.Output()
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // what a failure of this test has left must not stay either
		_ = run.Process.Kill()
		for _, pid := range marked(mark) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	awaitText(out, m.after)
	time.Sleep(m.later) // any moment will do: this is which one
	pids := marked(mark)
	sockets := socketsOf(pids)
	if err := run.Process.Signal(m.by); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	if m.by != syscall.SIGKILL {
		_, _ = io.Copy(io.Discard, out)
	}
	_ = run.Wait() // it was killed
	t.Logf("%d processes, which listened on %v", len(pids), sockets)
	awaitNone(t, mark, sockets)
	if m.by == syscall.SIGKILL {
		down := b.command("simcloud", "down")
		down.Env = append(down.Env, "TMPDIR="+temp)
		if text, err := down.CombinedOutput(); err != nil {
			t.Errorf("simcloud down: %v\n%s", err, text)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "simcloud-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// awaitText returns when a line of the output has the text, or it has ended.
func awaitText(out io.Reader, text string) {
	if text == "" {
		return
	}
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), text); {
		continue
	}
}

// awaitNone wants all processes to be gone soon, and none to listen. A
// process that ends loses its environment a moment before its ports.
func awaitNone(t *testing.T, mark string, sockets []socket) {
	t.Helper()
	const soon = time.Minute // the kernel and the guardian kill at once; a loaded machine takes its time
	deadline := time.Now().Add(soon)
	for {
		pids, heard := marked(mark), stillOpen(sockets)
		if len(pids)+len(heard) == 0 {
			return
		}
		if time.Now().After(deadline) {
			list := strings.Trim(strings.ReplaceAll(fmt.Sprint(pids), " ", ","), "[]")
			out, _ := exec.Command("ps", "-o", "pid,stat,etime,args", "-p", list).Output() // without any it fails
			t.Fatalf("a process listens on %v, and these processes live on:\n%s", heard, out)
		}
		time.Sleep(sandbox.PollPeriod)
	}
}

// marked are the processes that have a variable in their environment: those of
// a run, whoever started them. Where there is no /proc there are none.
func marked(variable string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil || !sandbox.HasVariable(raw, []byte(variable)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
