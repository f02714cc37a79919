package octavia

import "encoding/json"

// change is an attribute of a request for which null differs from nothing: null resets it.
type change[T any] struct {
	given bool
	value *T // nil for null
}

// UnmarshalJSON implements json.Unmarshaler. It is called for what the request has.
func (c *change[T]) UnmarshalJSON(raw []byte) error {
	c.given = true
	return json.Unmarshal(raw, &c.value)
}

// or is the value, or what null means.
func (c change[T]) or(null T) T {
	if c.value == nil {
		return null
	}
	return *c.value
}

// set changes an attribute that the request has; null stands for the given value.
func (c change[T]) set(to *T, null T) {
	if c.given {
		*to = c.or(null)
	}
}
