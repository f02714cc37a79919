package sim

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// validate checks what can be judged without the machine.
func (c Config) validate() error {
	var fields []simcloud.FieldError
	switch {
	case c.Data == "" && !c.Ephemeral:
		fields = append(fields, simcloud.FieldError{Field: "data", Detail: "must not be empty unless ephemeral is set"})
	case c.Data != "" && c.Ephemeral:
		fields = append(fields, simcloud.FieldError{Field: "data", Detail: "must not be set together with ephemeral"})
	}
	fields = append(fields, c.TLS.validate()...)
	if err := simcloud.InvalidFields("", fields); err != nil {
		return err
	}
	if c.Clock.Mode == "" {
		return nil
	}
	return c.Clock.Validate()
}
