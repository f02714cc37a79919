package slots_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/slots"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// envHold makes the test binary take a slot of this folder and hold it until it is killed.
const envHold = "SLOT_TEST_HOLD"

// held is what such a process holds.
var held *slots.Slot

func TestMain(m *testing.M) {
	if dir := os.Getenv(envHold); dir != "" {
		var err error
		held, err = slots.Machine{Dir: dir, Slots: 1}.Take(context.Background(), func(string) {})
		fmt.Println("holds", err)
		select {}
	}
	os.Exit(m.Run())
}

// TestTake: the third cluster of two waits, says why, and gets the slot that is freed.
func TestTake(t *testing.T) {
	t.Parallel()
	m := slots.Machine{Dir: t.TempDir(), Slots: 2}
	var running []*slots.Slot
	for range 2 {
		slot, err := m.Take(t.Context(), func(line string) { t.Errorf("a free machine says %q", line) })
		if err != nil {
			t.Fatal(err)
		}
		slot.Started()
		running = append(running, slot)
	}
	var lines []string
	third, err := m.Take(t.Context(), func(line string) {
		lines = append(lines, line)
		running[0].Free() // not before it has found all taken
	})
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "2 of 2 clusters") {
		t.Errorf("%v, and it said %q", err, lines)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	if _, err := m.Take(ctx, func(string) { cancel(enough) }); !errors.Is(err, enough) {
		t.Errorf("a wait that is ended: %v, want its cause", err)
	}
	third.Free()
	running[1].Free()
}

// full is a machine whose only slot is taken.
func full(t *testing.T) (slots.Machine, *slots.Slot) {
	t.Helper()
	m := slots.Machine{Dir: t.TempDir(), Slots: 1}
	only, err := m.Take(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	only.Started()
	return m, only
}

// TestWanted: others see that a slot is wanted for as long as someone waits for it, and no longer.
func TestWanted(t *testing.T) {
	t.Parallel()
	m, first := full(t)
	if m.Wanted() {
		t.Error("a slot is wanted, and no one waits")
	}
	second, err := m.Take(t.Context(), func(string) {
		if !m.Wanted() {
			t.Error("no slot is wanted, and one is waited for")
		}
		first.Free()
	})
	if err != nil {
		t.Fatal(err)
	}
	if m.Wanted() {
		t.Error("a slot is wanted, and no one waits any more")
	}
	second.Free()
	if (slots.Machine{}).Wanted() {
		t.Error("a slot is wanted where there is no limit")
	}
}

// TestWantedByTheNext: of two that wait, the one that still waits is seen when the other one has its slot.
func TestWantedByTheNext(t *testing.T) {
	t.Parallel()
	m, first := full(t)
	wait, got := make(chan string, 2), make(chan *slots.Slot, 2)
	for range 2 {
		go func() {
			slot, err := m.Take(t.Context(), func(line string) { wait <- line })
			if err != nil {
				t.Errorf("wait for a slot: %v", err)
			}
			got <- slot // nil when it has failed
		}()
	}
	for range 2 {
		select {
		case <-wait:
		case <-got:
			t.Fatal("the only slot was not waited for, and is taken")
		}
	}
	first.Free()
	for i := range 2 {
		slot := <-got
		if slot == nil {
			t.FailNow()
		}
		slot.Started()
		for i == 0 && !m.Wanted() { // the other one takes over with its next try, or this test does not end
			runtime.Gosched()
		}
		slot.Free()
	}
	if m.Wanted() {
		t.Error("a slot is wanted, and no one waits any more")
	}
}

// TestManyAsk: those who ask do not take each other for someone who waits.
func TestManyAsk(t *testing.T) {
	t.Parallel()
	m := slots.Machine{Dir: t.TempDir(), Slots: 1}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range 500 {
				if m.Wanted() {
					t.Error("a slot is wanted, and no one waits")
					return
				}
			}
		})
	}
	asking.Wait()
}

// TestFreeWhileChildrenStart: a slot is free at once, also while this process starts others, which have its files until they
// run their programs.
func TestFreeWhileChildrenStart(t *testing.T) {
	t.Parallel()
	m := slots.Machine{Dir: t.TempDir(), Slots: 1}
	ctx, cancel := context.WithCancel(t.Context())
	var starting sync.WaitGroup
	for range 2 {
		starting.Go(func() {
			for ctx.Err() == nil {
				_ = exec.Command("true").Run() //nolint:noctx // it ends at once
			}
		})
	}
	for range 200 {
		slot, err := m.Take(ctx, func(string) { t.Error("the slot that was freed is taken") })
		if err != nil {
			t.Fatal(err)
		}
		slot.Free()
		if t.Failed() {
			break
		}
	}
	cancel()
	starting.Wait()
}

// TestOneStartsAtATime: a second cluster has its slot, but does not start until the first has started, or has given up.
func TestOneStartsAtATime(t *testing.T) {
	t.Parallel()
	quiet := func(line string) { t.Errorf("a free machine says %q", line) }
	for name, proceed := range map[string]func(*slots.Slot){"started": (*slots.Slot).Started, "given up": (*slots.Slot).Free} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := slots.Machine{Dir: t.TempDir(), Slots: 2}
			first, err := m.Take(t.Context(), quiet)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if slot, err := m.Take(ctx, quiet); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("while another cluster starts: %v, %v", slot, err)
			}
			proceed(first)
			second, err := m.Take(t.Context(), quiet)
			if err != nil {
				t.Fatal(err)
			}
			second.Free()
			first.Free()
		})
	}
}

// TestKilledHolder: a process that is killed leaves no slot taken.
func TestKilledHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), envHold+"="+dir)
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if lines := bufio.NewScanner(out); !lines.Scan() || lines.Text() != "holds <nil>" {
		t.Fatalf("the holder says %q", lines.Text())
	}
	waited := false
	slot, err := slots.Machine{Dir: dir, Slots: 1}.Take(t.Context(), func(string) {
		waited = true
		_ = holder.Process.Kill()
	})
	if err != nil || !waited {
		t.Fatalf("%v; waited %v, want that it waits for the other process", err, waited)
	}
	slot.Free()
	_ = holder.Wait()
}

func TestHere(t *testing.T) {
	t.Setenv(slots.EnvSlots, "3")
	if m, err := slots.Here(); err != nil || m.Slots != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	t.Setenv(slots.EnvSlots, "0")
	m, err := slots.Here()
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := m.Take(t.Context(), func(line string) { t.Error(line) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []string{"-1", "two"} {
		t.Setenv(slots.EnvSlots, wrong)
		if _, err := slots.Here(); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), slots.EnvSlots) {
			t.Errorf("%q: %v, want Invalid that names %s", wrong, err, slots.EnvSlots)
		}
	}
}

// TestTakeFollowsNoLink: what another user could have put at the name of the folder or of a slot is refused, and nothing is made
// where it leads to.
func TestTakeFollowsNoLink(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "slot-1", "start"} {
		victim, dir := filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "slots")
		if name != "" {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := (slots.Machine{Dir: dir, Slots: 1}).Take(t.Context(), func(string) {}); err == nil {
			t.Errorf("%q: a link is followed", name)
		}
		if _, err := os.Lstat(victim); err == nil {
			t.Errorf("%q: something was made where the link leads to", name)
		}
	}
}
