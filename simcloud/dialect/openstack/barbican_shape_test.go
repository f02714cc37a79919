package openstack_test

import (
	"encoding/json"
	"errors"

	"github.com/gophercloud/gophercloud/v2/openstack/keymanager/v1/containers"
	"github.com/gophercloud/gophercloud/v2/openstack/keymanager/v1/secrets"
)

// barbicanShapes are by an attribute that each such answer has: what Barbican answers is not a part of an object.
var barbicanShapes = map[string]shape{
	"secret_type": {types: []any{secrets.Secret{}}, besides: []string{"expiration", "created", "updated"}, optional: []string{"content_types"}},
	"secret_refs": {types: []any{containers.Container{}}, besides: []string{"created", "updated"}},
	"secret_ref":  {besides: []string{"secret_ref"}}, "container_ref": {besides: []string{"container_ref"}},
	"versions": {besides: []string{"versions"}},
}

// barbicanShape finds the shape of a whole answer.
func barbicanShape(parts map[string]json.RawMessage) (shape, bool) {
	for _, attribute := range []string{"secret_type", "secret_refs", "secret_ref", "container_ref", "versions"} {
		if _, has := parts[attribute]; has {
			return barbicanShapes[attribute], true
		}
	}
	return shape{}, false
}

// barbicanError checks an error of Barbican.
func barbicanError(parts map[string]json.RawMessage) error {
	var e struct {
		Code               int
		Title, Description string
	}
	raw, err := json.Marshal(parts)
	if err == nil {
		err = json.Unmarshal(raw, &e)
	}
	if err != nil || len(parts) != 3 || e.Code == 0 || e.Title == "" || e.Description == "" {
		return errors.Join(err, errors.New("must have code, title and description"))
	}
	return nil
}
