package output

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/client-go/util/jsonpath"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
)

// The flags that change how lists are printed.
const (
	flagNoHeaders = "no-headers"
	flagSortBy    = "sort-by"
)

// Screen is the stdout of a command, and how tables look there.
type Screen struct {
	io.Writer
	noHeaders bool
	sortBy    *jsonpath.JSONPath
	width     int // of the terminal, in columns; 0: not a terminal, or of unknown size
	height    int // of the terminal, in lines
	paged     bool
	colour    bool
	clock     func() time.Time // nil: ages are not known
}

// screenOf returns how tables look on what was given to a command to write to.
func screenOf(w io.Writer) Screen {
	if s, ok := w.(Screen); ok {
		return s
	}
	return Screen{Writer: w}
}

// Present prepares the stdout of a command by its flags and by the terminal that it is.
func Present(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	s := Screen{Writer: out, colour: Colours(out)}
	s.width, s.height = sizeOf(out)
	if f := cmd.Flags().Lookup(flagNoHeaders); f != nil {
		s.noHeaders = f.Value.String() == "true"
	}
	if f := cmd.Flags().Lookup(flagSortBy); f != nil && f.Value.String() != "" {
		path, err := relaxedPath(f.Value.String())
		if err != nil {
			return exit.Usage(fmt.Errorf("--%s: %w", flagSortBy, err))
		}
		s.sortBy = path
	}
	cmd.SetOut(s)
	return nil
}

// sizeOf is how many columns and lines a terminal has; 0 for what is no terminal.
func sizeOf(w io.Writer) (width, height int) {
	file := Terminal(w)
	if file == nil {
		return 0, 0
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// gap is what is between two columns.
const gap = 2

// table prints rows under a header, each column as wide as its widest cell. On a terminal that is too narrow, cells
// lose their middle when they may be trimmed.
func (s Screen) table(header []string, rows [][]string, trim bool) error {
	widths := columnWidths(header, rows)
	if trim && s.width > 0 {
		narrow(widths, header, s.width)
	}
	if !s.noHeaders {
		rows = append([][]string{header}, rows...)
	}
	var text strings.Builder
	for _, row := range rows {
		s.row(&text, header, widths, row)
	}
	return s.write(text.String(), total(widths), !trim)
}

// total is how wide rows are.
func total(widths []int) int {
	all := gap * (len(widths) - 1)
	for _, width := range widths {
		all += width
	}
	return all
}

func (s Screen) row(b *strings.Builder, header []string, widths []int, cells []string) {
	blank := 0 // of the cells before, which nothing may follow
	for i, cell := range cells {
		cell = middle(cell, widths[i])
		if cell != "" {
			b.WriteString(strings.Repeat(" ", blank) + s.paint(header[i], cell))
			blank = 0
		}
		blank += widths[i] - utf8.RuneCountInString(cell) + gap
	}
	b.WriteByte('\n')
}

func columnWidths(header []string, rows [][]string) []int {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// narrowest is how few letters of a cell tell it from others.
const narrowest = 16

// narrow takes letters from the widest columns until a row fits, as long as the columns stay readable.
func narrow(widths []int, header []string, room int) {
	for all := total(widths); all > room; all-- {
		widest := -1
		for i, width := range widths {
			if width > max(narrowest, utf8.RuneCountInString(header[i])) && (widest < 0 || width > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// middle cuts the middle out of a text that is too long: names and addresses differ at their ends.
func middle(text string, width int) string {
	letters := []rune(text)
	if len(letters) <= width {
		return text
	}
	head := (width - 1) / 2
	tail := width - 1 - head
	return string(letters[:head]) + "…" + string(letters[len(letters)-tail:])
}
