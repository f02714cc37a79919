package cloud

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// escapes would clear the screen, ring, and forge a row.
const escapes = "\x1b[2J\a\n9999  row\t\u009b\u202e\x7f\xff"

// checkLines fails unless a text is so many lines without anything that a terminal acts on.
func checkLines(t *testing.T, text string, want int) {
	t.Helper()
	if got := strings.Count(text, "\n"); want > 0 && got != want {
		t.Errorf("%d lines, want %d: %q", got, want, text)
	}
	for _, r := range text {
		if r != '\n' && !strconv.IsGraphic(r) {
			t.Errorf("%U is in %q", r, text)
		}
	}
}

// TestTablesShowEscapes: rows and streams are as many lines as there are values, in each format.
func TestTablesShowEscapes(t *testing.T) {
	t.Parallel()
	entry := simcloud.JournalEntry{Resource: escapes, Message: escapes, Caller: simcloud.Caller{UserAgent: escapes}}
	change := simcloud.SnapshotChange{Resource: escapes, Name: escapes, Fields: []simcloud.FieldChange{{Path: escapes, Was: escapes}}}
	for _, f := range output.Formats() {
		var list, line, changes bytes.Buffer
		err := errors.Join(journalTable.List(&list, output.Format(f), []simcloud.JournalEntry{entry}),
			journalTable.Line(&line, output.Format(f), entry), snapshotDiffTable.List(&changes, output.Format(f), snapshotRows([]simcloud.SnapshotChange{change})))
		if err != nil {
			t.Fatal(err)
		}
		switch f {
		case output.FormatTable, output.FormatWide:
			checkLines(t, list.String(), 2)
			checkLines(t, line.String(), 1)
			checkLines(t, changes.String(), 2)
		case output.FormatName:
			checkLines(t, changes.String(), 1)
		default:
			checkLines(t, list.String(), 0)
			checkLines(t, line.String(), 0)
		}
	}
}

// TestErrorsShowEscapes: a line that begins with "simcloud: " is not the text of an error.
func TestErrorsShowEscapes(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if code := exit.Report(&stderr, exit.Usage(errors.New(escapes+"\nsimcloud: all passes"))); code != exit.CodeUsage {
		t.Errorf("the exit code is %d", code)
	}
	if text := strings.ReplaceAll(stderr.String(), "\t", " "); strings.Count(text, "\nsimcloud") > 0 {
		t.Errorf("it is %q", text)
	} else {
		checkLines(t, text, 3)
	}
}

// TestLogsShowEscapes: a message or a value that a caller has chosen stays in its line of the log, in both formats.
func TestLogsShowEscapes(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log, err := newLogger(&out, format, "info")
		if err != nil {
			t.Fatal(err)
		}
		log.Warn(escapes, "agent", escapes, "err", errors.New(escapes))
		checkLines(t, out.String(), 1)
		if !strings.Contains(out.String(), `\u009b\u202e`) {
			t.Errorf("%s: it lacks what was sent: %s", format, out.String())
		}
	}
}

// TestPrinterShowsEscapes: what a command tells of its progress may be what a container engine has said.
func TestPrinterShowsEscapes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	output.Printer(&out)(escapes)
	checkLines(t, strings.ReplaceAll(out.String(), "\t", " "), 2)
}
