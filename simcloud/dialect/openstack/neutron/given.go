package neutron

import "encoding/json"

// given is an attribute of a request that may be there, be null, or be left out. Null is the zero value.
type given[T any] struct {
	there bool
	value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *given[T]) UnmarshalJSON(raw []byte) error {
	g.there = true
	return json.Unmarshal(raw, &g.value)
}
