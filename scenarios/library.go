package scenarios

import (
	"embed"
)

// Library are the scenarios of this project, and the steps that they share.
//
//go:embed library
var Library embed.FS

// LibraryFolder is the folder in [Library], and what positions call it.
const LibraryFolder = "library"

//go:embed schema.json
var schemaJSON []byte

// SchemaJSON is the JSON schema of scenario files, for editors.
func SchemaJSON() []byte { return schemaJSON }
