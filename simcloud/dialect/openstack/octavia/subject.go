package octavia

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// subjectOf reads from the body of a creation what fault rules ask of the resource, which is below a key.
func subjectOf(key string) func(body []byte) fault.Subject {
	return func(body []byte) fault.Subject {
		var in map[string]struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(body, &in) != nil {
			return fault.Subject{}
		}
		return fault.Subject{Name: service.LegalName(in[key].Name, "")}
	}
}

// within reads from the body of a creation, below a key, the attribute that names what the new resource is a part of.
func within(key, attribute string, id func(uuid string) simcloud.ID) func(body []byte) simcloud.ID {
	return func(body []byte) simcloud.ID {
		var in map[string]map[string]any
		if json.Unmarshal(body, &in) != nil {
			return ""
		}
		uuid, _ := in[key][attribute].(string)
		return id(uuid)
	}
}
