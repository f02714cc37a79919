package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteConformance writes conformance.json and conformance.md into dir, beside
// what [WriteReport] writes there.
func WriteConformance(dir string, c Conformance) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	raw, err := indentedJSON(c)
	if err != nil {
		return err
	}
	return errors.Join(
		writeFile(filepath.Join(dir, "conformance.json"), raw),
		writeFile(filepath.Join(dir, "conformance.md"), []byte(ConformanceMarkdown(c))),
	)
}
