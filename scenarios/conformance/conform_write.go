package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// Write writes conformance.json and conformance.md into dir, beside
// what [report.Write] writes there.
func Write(dir string, c Verdict) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	raw, err := report.IndentedJSON(c)
	if err != nil {
		return err
	}
	return errors.Join(
		report.WriteFile(filepath.Join(dir, "conformance.json"), raw),
		report.WriteFile(filepath.Join(dir, "conformance.md"), []byte(Markdown(c))),
	)
}
