package hcloud_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/hcloud"
)

// TestListsAreNeverNull: each operation that reads answers [] for each of its lists that has nothing, with an empty cloud,
// with resources that have nothing, and with a filter that nothing passes.
func TestListsAreNeverNull(t *testing.T) {
	t.Parallel()
	for name, filled := range map[string]bool{"empty": false, "filled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			if filled {
				w.instance(simcloud.InstanceSpec{Name: "node-1", NoPublicAddress: true})
				w.balancer("a")
			}
			lists := 0
			for _, op := range hcloud.Describe().Operations {
				if op.Method != http.MethodGet {
					continue
				}
				path := strings.NewReplacer("{id}", "1", "{action_id}", "1").Replace(op.Path)
				for _, query := range []string{"", "?id=99999", "?name=nope", "?label_selector=a=b", "?status=error", "?page=9"} {
					lists += w.hasNoNull(path + query)
				}
			}
			if lists < 20 {
				t.Errorf("only %d lists were read", lists)
			}
		})
	}
}

// hasNoNull reads a path and counts the lists of its answer.
func (w world) hasNoNull(path string) (lists int) {
	w.Helper()
	answer := w.send(http.MethodGet, strings.TrimPrefix(strings.TrimPrefix(path, "/hcloud/v1"), "/"), "")
	if answer.status != http.StatusOK {
		return 0
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer.body), &parts); err != nil {
		w.Errorf("%s: %v", path, err)
	}
	for name, raw := range parts {
		known, ok := schemas[name]
		if !ok {
			continue
		}
		of := reflect.TypeOf(known()).Elem()
		if of.Kind() == reflect.Slice {
			lists++
		}
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			w.Errorf("%s: %v", path, err)
		}
		for _, null := range nulls(of, value) {
			w.Errorf("GET %s: %s: %s is null, want []", path, name, null)
		}
	}
	return lists
}
