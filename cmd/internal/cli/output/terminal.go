package output

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal returns the terminal that is written to; nil where what is written is kept in a file or read by a program.
func Terminal(out io.Writer) *os.File {
	file, ok := screenOf(out).Writer.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// IsTerminal reports whether what is written is shown to a user at once, rather than kept in a file or read by a program.
func IsTerminal(out io.Writer) bool { return Terminal(out) != nil }
