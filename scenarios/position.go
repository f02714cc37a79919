package scenarios

import (
	"errors"
	"fmt"
	"strings"
)

// Position is a place in a scenario file.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"` // 0 when only the line is known
}

// String returns the position as file:line:column.
func (p Position) String() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// SyntaxError is something wrong with a scenario file.
type SyntaxError struct {
	Position Position
	Message  string
}

// Error returns the position and the message.
func (e *SyntaxError) Error() string { return e.Position.String() + ": " + e.Message }

// LoadError is everything that is wrong with the files that are read at once.
type LoadError []error

// Error returns one line, or paragraph, for each mistake.
func (e LoadError) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes.
func (e LoadError) Unwrap() []error { return e }

// AsError returns nil when there is no mistake.
func (e LoadError) AsError() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// IsBadInput reports whether err says that a scenario file, or what was given in its place, cannot be used.
func IsBadInput(err error) bool {
	var bad LoadError
	return errors.As(err, &bad)
}
