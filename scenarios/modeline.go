package scenarios

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// ModelinePrefix begins the first line of a scenario file, by which editors find the schema.
const ModelinePrefix = "# yaml-language-server:"

// SchemaFile is the name of the schema beside a file that a command has written.
const SchemaFile = "scenario.schema.json"

// Modeline is the line by which editors find the schema, which is a path from the folder of the file.
func Modeline(schema string) string { return ModelinePrefix + " $schema=" + schema + "\n" }

// WithoutModeline leaves out the line by which editors find the schema, for a copy in another folder.
func WithoutModeline(raw []byte) []byte {
	if first, rest, _ := bytes.Cut(raw, []byte("\n")); bytes.HasPrefix(first, []byte(ModelinePrefix)) {
		return rest
	}
	return raw
}

// WriteFile writes a scenario to a file, with the schema beside it and the line by which editors find that.
func WriteFile(path string, text []byte) error {
	text = slices.Concat([]byte(Modeline(SchemaFile)), WithoutModeline(text))
	return errors.Join(
		os.WriteFile(path, text, 0o644), //nolint:gosec // others may read it, as all of a repository
		WriteSchema(filepath.Dir(path)),
	)
}

// WriteSchema writes the schema into a folder of scenarios.
func WriteSchema(folder string) error {
	return os.WriteFile(filepath.Join(folder, SchemaFile), schemaJSON, 0o644) //nolint:gosec // others may read it, as all of a repository
}
