package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// jsonName is the file of a report that programs read.
const jsonName = "report.json"

// Folder is a report, and where its files are.
type Folder struct {
	// Path is as the caller named it, for messages.
	Path   string
	Report scenarios.Report
	// dir is the folder of its files.
	dir string
}

// File is the path of a file of the report.
func (f Folder) File(name string) string { return filepath.Join(f.dir, name) }

// Load reads the report of a folder that [Write] has written, or of its report.json. What comes from
// another machine may be anything: Load refuses what is no report.
func Load(path string) (Folder, error) {
	f := Folder{Path: path, dir: path}
	file := filepath.Join(path, jsonName)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		f.dir, file = filepath.Dir(path), path
	}
	raw, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, fmt.Errorf("%q is not a report folder: it has no %s; give the folder of --report of a run", path, jsonName)
	case err != nil:
		return f, fmt.Errorf("read the report: %w", err)
	}
	if err := json.Unmarshal(raw, &f.Report); err != nil {
		return f, fmt.Errorf("%s is not a report of simcloud, or not a whole one: %w", file, err)
	}
	if err := checkReport(raw, f.Report); err != nil {
		return f, fmt.Errorf("%s is not a report of simcloud: %w", file, err)
	}
	return f, nil
}

// checkReport finds out whether a JSON document has what every report has.
func checkReport(raw []byte, r scenarios.Report) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return err
	}
	for _, key := range []string{"started", "seed", "scenarios", "phases"} {
		if _, there := keys[key]; !there {
			return fmt.Errorf("it has no %q", key)
		}
	}
	for i, s := range r.Scenarios {
		if s.Name == "" {
			return fmt.Errorf("scenarios[%d] has no name", i)
		}
		if _, known := severity[s.Status]; !known {
			return fmt.Errorf("scenarios[%d] (%s) has the unknown status %q: a later version may have written it", i, s.Name, s.Status)
		}
	}
	return nil
}
