package output

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether what is written is shown to a user at once, rather than kept in a file or read by a program.
func IsTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
