package output

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// The variables of a pager, which other programs know too.
const (
	envPager    = "PAGER"
	envLess     = "LESS"
	lessOptions = "FRSX" // colours, and long lines that can be scrolled; git has these too
)

// Paged returns the stdout of a command whose table goes through a pager when it has more rows than the terminal.
func Paged(w io.Writer) io.Writer {
	s := screenOf(w)
	s.paged = true
	return s
}

// write writes a table, each line of which is so wide: through a pager when it does not fit on the terminal.
func (s Screen) write(text string, width int, wide bool) error {
	file := Terminal(s.Writer)
	tooWide := s.width > 0 && width > s.width
	tooLong := s.height > 0 && strings.Count(text, "\n") >= s.height
	if file != nil && (wide && tooWide || (wide || s.paged) && tooLong) && page(file, text) {
		return nil
	}
	_, err := io.WriteString(s.Writer, text)
	return err
}

// page shows a text in the user's pager; false when there is none.
func page(terminal *os.File, text string) bool {
	command, set := os.LookupEnv(envPager)
	if !set {
		command = "less"
	}
	if strings.TrimSpace(command) == "" {
		return false
	}
	pager := exec.CommandContext(context.Background(), "sh", "-c", command) // it ends when its user wants
	pager.Stdin, pager.Stdout, pager.Stderr = strings.NewReader(text), terminal, os.Stderr
	pager.Env = os.Environ()
	if os.Getenv(envLess) == "" {
		pager.Env = append(pager.Env, envLess+"="+lessOptions)
	}
	signal.Ignore(os.Interrupt) // Ctrl-C is the pager's: without this process it would lose the terminal
	err := pager.Run()
	var exited *exec.ExitError
	const notFound = 127 // of the shell
	if errors.As(err, &exited) {
		return exited.ExitCode() != notFound
	}
	return err == nil
}
