package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:generate go test ../client -run ^TestAPI$ -update

// recordedSource has a call of each operation, which the tests of the specification have
// made and held against the document.
//
//go:embed examples.json
var recordedSource []byte

// recorded is a call that succeeded.
type recorded struct {
	Path     string          `json:"path"`
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"` // of a stream, what one event has
}

// readRecorded returns what was embedded, by operation.
var readRecorded = sync.OnceValues(func() (map[string]recorded, error) {
	var all map[string]recorded
	if err := json.Unmarshal(recordedSource, &all); err != nil {
		return nil, fmt.Errorf("the examples of calls: %w", err)
	}
	return all, nil
})
