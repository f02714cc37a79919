package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// guardian starts the guardian of this process when it is first needed. There
// is one per process by its nature: it watches the life of the process.
var guardian = sync.OnceValues(startGuardian)

// guardScript keeps the list of groups that live, and kills them when its
// input ends, which it does when the parent is gone. It ignores the
// signals that may be sent to all processes at once.
const guardScript = `trap '' HUP INT QUIT TERM
live=
while read -r op group; do
  rest=
  for g in $live; do [ "$g" = "$group" ] || rest="$rest $g"; done
  live=$rest
  [ "$op" = + ] && live="$live $group"
done
for g in $live; do kill -s KILL -- "-$g"; done
`

// guard writes to the guardian.
type guard struct {
	mu sync.Mutex
	to *os.File
}

func startGuardian() (*guard, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("guardian of child processes: %w", err)
	}
	defer func() { _ = from.Close() }()
	cmd := exec.Command("sh", "-c", guardScript, "simcloud-guardian") //nolint:noctx // it outlives this process
	cmd.Dir = "/"
	cmd.Stdin = from
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // out of reach of Ctrl-C
	if err := cmd.Start(); err != nil {
		_ = to.Close()
		return nil, fmt.Errorf("guardian of child processes: %w", err)
	}
	return &guard{to: to}, cmd.Process.Release()
}

// watch makes the guardian kill this group when this process is gone.
func (g *guard) watch(group int) error {
	if err := g.write("+", group); err != nil {
		return fmt.Errorf("guardian of child processes: %w", err)
	}
	return nil
}

// forget takes a group that is gone off the list. Where the guardian is gone itself, there is no list.
func (g *guard) forget(group int) { _ = g.write("-", group) }

func (g *guard) write(op string, group int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := fmt.Fprintln(g.to, op, group)
	return err
}
