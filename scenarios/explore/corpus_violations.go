package explore

import (
	"path/filepath"
	"slices"
)

// Violations returns the scenario files of the violations that a corpus has, sorted; those of races are left out, and so are those of
// histories that this version of simcloud cannot read. A folder that does not exist has none.
func Violations(dir string) ([]string, error) {
	histories, err := filepath.Glob(filepath.Join(dir, historyPattern))
	if err != nil {
		return nil, err
	}
	var files []string
	for _, path := range histories {
		if s, err := readFile(path); err == nil && s.Violates != "" && !s.Race {
			files = append(files, filepath.Join(dir, s.Scenario))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
