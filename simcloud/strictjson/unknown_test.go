package strictjson_test

import (
	"reflect"
	"testing"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

// TestFieldsOf: an unknown field, at any depth, is told with what was meant or with what there is.
func TestFieldsOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]simcloud.FieldError{
		`{"regoins": []}`:                          {Field: "regoins", Detail: "unknown field: did you mean regions?"},
		`{"regions": [{"nmae": "r"}]}`:             {Field: "regions[0].nmae", Detail: "unknown field: did you mean name?"},
		`{"regions": [{"zones": [{"color": 1}]}]}`: {Field: "regions[0].zones[0].color", Detail: "unknown field (have name, state, capacity, labels)"},
		`{"regions": [], "regions": []}`:           {Field: "regions", Detail: "duplicate field"},
	} {
		var v simcloud.Topology
		wrong, err := strict.UnmarshalStrict([]byte(text), &v)
		if err != nil {
			t.Fatal(err)
		}
		got := strictjson.FieldsOf(reflect.TypeFor[simcloud.Topology](), wrong, "body")
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
