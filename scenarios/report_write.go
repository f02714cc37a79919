package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteReport writes report.json, junit.xml and the calls of each scenario into dir.
func WriteReport(dir string, r Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	errs := []error{writeFile(filepath.Join(dir, "report.json"), append(raw, '\n'))}
	junit, err := JUnit(r)
	errs = append(errs, err, writeFile(filepath.Join(dir, "junit.xml"), junit))
	for _, s := range r.Scenarios {
		if s.Status != NotRun {
			errs = append(errs, writeCalls(filepath.Join(dir, "logs", s.Name), s.calls))
		}
	}
	return errors.Join(errs...)
}

func writeFile(name string, raw []byte) error {
	if err := os.WriteFile(name, raw, 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// writeCalls writes the calls that the CCM made, one a line.
func writeCalls(dir string, calls []any) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	var lines []byte
	for _, c := range calls {
		raw, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		lines = append(append(lines, raw...), '\n')
	}
	return writeFile(filepath.Join(dir, "calls.jsonl"), lines)
}
