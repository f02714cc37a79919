package simcloud

import (
	"fmt"
	"time"
)

// Duration is a time.Duration that JSON and YAML write as "1m30s".
type Duration time.Duration

// String returns the duration as "1m30s".
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration as "1m30s".
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration such as "1m30s".
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 500ms, 30s or 1m30s", text)
	}
	*d = Duration(v)
	return nil
}
