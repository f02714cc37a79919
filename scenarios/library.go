package scenarios

import (
	"embed"
)

// library are the scenarios of this project, and the steps that they share.
//
//go:embed library
var library embed.FS

const libraryFolder = "library"

//go:embed schema.json
var schemaJSON []byte

// SchemaJSON is the JSON schema of scenario files, for editors.
func SchemaJSON() []byte { return schemaJSON }
