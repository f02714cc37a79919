package manager

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// panicScan looks for panics in a log that grows. Each is found once.
type panicScan struct {
	path   string
	offset int64 // what was scanned: whole lines
}

// isPanic reports whether a line of a log tells of a panic: as the runtime prints
// it, or as the Kubernetes libraries do when they recover from one.
func isPanic(line []byte) bool {
	return bytes.HasPrefix(line, []byte("panic: ")) ||
		bytes.HasPrefix(line, []byte("fatal error: ")) ||
		bytes.Contains(line, []byte("Observed a panic"))
}

// scan returns the lines that tell of a panic since the last scan.
func (s *panicScan) scan() []string {
	raw, err := readFrom(s.path, s.offset)
	if err != nil {
		return nil // no log, no panic
	}
	end := bytes.LastIndexByte(raw, '\n') + 1
	s.offset += int64(end)
	var found []string
	for line := range bytes.Lines(raw[:end]) {
		if isPanic(line) {
			found = append(found, strings.TrimSpace(string(line)))
		}
	}
	return found
}

func readFrom(path string, offset int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// tailBytes is how far back tail looks.
const tailBytes = 256 << 10

// tail returns the last n lines of a file; none when it cannot be read.
func tail(path string, n int) []string {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	raw, err := readFrom(path, max(0, info.Size()-tailBytes))
	if err != nil || len(raw) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return lines[max(0, len(lines)-n):]
}
