package run

import (
	"os"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// mostSource is how long a file is at most, in bytes, whose scenario a report shows.
const mostSource = 256 << 10

// sourceOf is the text of a scenario in its file; nil when the file cannot be read, such as of a scenario that was made
// by a program.
func sourceOf(s *scenarios.Scenario) *scenarios.Source {
	read := os.ReadFile
	if strings.HasPrefix(s.Position.File, scenarios.LibraryFolder+"/") {
		read = scenarios.Library.ReadFile
	}
	raw, err := read(s.Position.File)
	lines := strings.Split(string(raw), "\n")
	if err != nil || len(raw) > mostSource || s.Position.Line < 1 || s.Position.Line > len(lines) {
		return nil
	}
	first, last := s.Position.Line-1, s.Position.Line-1
	for first > 0 && !separates(lines[first-1]) {
		first--
	}
	for last+1 < len(lines) && !separates(lines[last+1]) {
		last++
	}
	for first < last && strings.TrimSpace(lines[first]) == "" {
		first++
	}
	return &scenarios.Source{Line: first + 1, Text: strings.TrimRight(strings.Join(lines[first:last+1], "\n"), "\n \r")}
}

// separates reports whether a line is between two documents of a file.
func separates(line string) bool { return strings.HasPrefix(line, "---") }
