package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// logsName is the folder of a report with everything that ran has logged.
const logsName = "logs"

// reproduceName is the folder of a conformance report with scenarios that reproduce failures.
const reproduceName = "reproduce"

// logSource is a folder whose logs go into a merged report.
type logSource struct {
	folder Folder
	number int               // among the folders, from 1
	slots  int               // how many clusters at a time the folders before had
	names  map[string]string // of scenarios, by those that the folder has
}

// Write writes the merged report into dir, with the logs of all folders. The logs of scenarios have their new names, and
// those of clusters the numbers of their slots in the merged report.
func (m Merged) Write(dir string) error {
	errs := []error{writePages(dir, m.Report)}
	for _, s := range m.logs {
		errs = append(errs, s.copyLogs(dir), copyTree(filepath.Join(s.folder.dir, reproduceName), filepath.Join(dir, reproduceName)))
	}
	return errors.Join(errs...)
}

// CheckFolder refuses a folder for the merged report that is one of those that it is made of.
func (m Merged) CheckFolder(dir string) error {
	for _, s := range m.logs {
		if sameFolder(dir, s.folder.dir) {
			return fmt.Errorf("%q is one of the folders to merge: the merged report needs another folder", dir)
		}
	}
	return nil
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

func (s logSource) copyLogs(dir string) error {
	from := filepath.Join(s.folder.dir, logsName)
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing of it ran
	}
	if err != nil {
		return fmt.Errorf("copy the logs: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		errs = append(errs, copyTree(filepath.Join(from, entry.Name()), filepath.Join(dir, logsName, s.logName(entry.Name()))))
	}
	return errors.Join(errs...)
}

var clusterFolder = regexp.MustCompile(`^cluster-(\d+|retry)-(.+)$`)

// logName is what a folder of logs is called in the merged report. A new name of a scenario differs from
// its old one in its number alone, so that no name leads out of the folder, whatever a report says.
func (s logSource) logName(name string) string {
	part := clusterFolder.FindStringSubmatch(name)
	switch {
	case part == nil:
		return cmp.Or(s.names[name], name)
	case part[1] == "retry":
		return fmt.Sprintf("cluster-retry-%d-%s", s.number, part[2])
	default:
		slot, _ := strconv.Atoi(part[1]) // the pattern has digits alone
		return fmt.Sprintf("cluster-%d-%s", slot+s.slots, part[2])
	}
}

// copyTree copies a folder and what is in it, but for links and other special files: an artifact may have any. A folder
// that does not exist has nothing to copy.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == from:
			return nil
		case err != nil:
			return fmt.Errorf("copy the logs: %w", err)
		case entry.Type().IsRegular():
			return copyFile(path, filepath.Join(to, strings.TrimPrefix(path, from)))
		}
		return nil
	})
}

func copyFile(from, to string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("copy the logs: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
