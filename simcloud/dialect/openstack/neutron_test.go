package openstack_test

import (
	"encoding/json"
	"errors"

	"github.com/gophercloud/gophercloud/v2/openstack/common/extensions"
)

var neutronShapes = map[string]shape{
	"versions":   {besides: []string{"id", "status", "links"}},
	"resources":  {besides: []string{"name", "collection", "links"}},
	"extensions": {types: []any{extensions.Extension{}}, optional: []string{"namespace"}},
	"extension":  {types: []any{extensions.Extension{}}, optional: []string{"namespace"}},
}

// neutronError checks an error of Neutron.
func neutronError(parts map[string]json.RawMessage) error {
	var e map[string]string
	if err := json.Unmarshal(parts["NeutronError"], &e); err != nil {
		return err
	}
	if _, detail := e["detail"]; len(parts) != 1 || len(e) != 3 || !detail || e["type"] == "" || e["message"] == "" {
		return errors.New("must have NeutronError with type, message and detail")
	}
	return nil
}
