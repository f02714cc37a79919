package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// Write writes report.json, junit.xml, report.html, report.md, and the
// calls and the journal of each scenario below logs, into dir. What can be written is written, whatever cannot.
func Write(dir string, r scenarios.Report) error {
	errs := []error{writePages(dir, r)}
	for _, s := range r.Scenarios {
		if s.Status != scenarios.NotRun {
			folder := filepath.Join(dir, "logs", s.Name)
			errs = append(errs, writeLines(folder, "calls.jsonl", s.CallValues), writeLines(folder, "journal.jsonl", s.Journal))
		}
	}
	return errors.Join(errs...)
}

// writePages writes what shows the whole run.
func writePages(dir string, r scenarios.Report) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	var errs []error
	for name, write := range map[string]func(scenarios.Report) ([]byte, error){
		jsonName: reportJSON, "junit.xml": JUnit, "report.html": HTML,
		"report.md": func(r scenarios.Report) ([]byte, error) { return []byte(Markdown(r)), nil },
	} {
		raw, err := write(r)
		if err == nil {
			err = WriteFile(filepath.Join(dir, name), raw)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func reportJSON(r scenarios.Report) ([]byte, error) { return IndentedJSON(r) }

// IndentedJSON writes a value as a JSON document that can be shown in a terminal.
func IndentedJSON(v any) ([]byte, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return append(escape.JSON(raw), '\n'), nil
}

// WriteFile writes a file of a report.
func WriteFile(name string, raw []byte) error {
	if err := os.WriteFile(name, raw, 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// writeLines writes values into a file of a folder, one a line.
func writeLines[T any](dir, name string, all []T) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	var lines []byte
	for _, v := range all {
		raw, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		lines = append(append(lines, escape.JSON(raw)...), '\n')
	}
	return WriteFile(filepath.Join(dir, name), lines)
}
