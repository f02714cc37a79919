package hcloud

// changed is what PUT can change of every resource.
type changed struct {
	Name   *string            `json:"name"`
	Labels *map[string]string `json:"labels"`
}

// check judges a change by itself.
func (b changed) check() error {
	if b.Labels == nil {
		return nil
	}
	return checkLabels(*b.Labels)
}

// decodeChange reads the body of PUT, and judges what it has of every resource.
func decodeChange[T interface{ check() error }](c call) (T, error) {
	body, err := decode[T](c)
	if err != nil {
		return body, err
	}
	return body, body.check()
}
