package process

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// tailBytes is how much of a log is read to find its last lines.
const tailBytes = 64 << 10

// logFile is the file that a process writes to. The zero value writes nowhere.
type logFile struct {
	path  string
	file  *os.File
	start int64 // where this process's part begins
}

// openLog opens path for appending. The process gets the file itself rather than a
// pipe: its output is kept and it runs on whatever happens to this process.
func openLog(path string) (*logFile, error) {
	if path == "" {
		return &logFile{}, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &logFile{path: path, file: f, start: info.Size()}, nil
}

func (l *logFile) writer() io.Writer {
	if l.file == nil {
		return nil // not a nil *os.File, which os/exec would take for a writer
	}
	return l.file
}

func (l *logFile) close() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// tail returns the last lines of this process's part, as many as can be read.
func (l *logFile) tail(n int) []string {
	f, err := os.Open(l.path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(l.start, info.Size()-tailBytes)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil
	}
	return lastLines(text, n, from > l.start)
}

// lastLines splits text. The first line is left out where it was cut.
func lastLines(text []byte, n int, cut bool) []string {
	text = bytes.TrimRight(text, "\n")
	if len(text) == 0 {
		return nil
	}
	lines := bytes.Split(text, []byte("\n"))
	if cut {
		lines = lines[1:]
	}
	var last []string
	for _, line := range lines[max(0, len(lines)-n):] {
		last = append(last, string(line))
	}
	return last
}
