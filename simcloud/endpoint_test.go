package simcloud_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// TestEndpointsAreTheMethods holds the table against the interfaces: each
// method has one endpoint of its name with a placeholder for each id argument.
func TestEndpointsAreTheMethods(t *testing.T) {
	ids := map[string]int{}
	for _, api := range []reflect.Type{
		reflect.TypeFor[simcloud.API](), reflect.TypeFor[simcloud.Control](), reflect.TypeFor[simcloud.JournalAPI](),
		reflect.TypeFor[fault.API](),
	} {
		for m := range api.NumMethod() {
			method := api.Method(m)
			n := 0
			for in := range method.Type.Ins() {
				if in == reflect.TypeFor[simcloud.ID]() {
					n++
				}
			}
			ids[method.Name] = n
		}
	}
	var seen []string
	for _, e := range simcloud.Endpoints() {
		want, isMethod := ids[e.Operation]
		if !isMethod {
			t.Errorf("%s is not a method of API, Control, JournalAPI or fault.API", e.Operation)
			continue
		}
		if got := strings.Count(e.Path, "{"); got != want {
			t.Errorf("%s: %s has %d placeholders, the method takes %d ids", e.Operation, e.Path, got, want)
		}
		key := e.Method + " " + e.Path
		if slices.Contains(seen, key) {
			t.Errorf("%s is in the table twice", key)
		}
		seen = append(seen, key)
		delete(ids, e.Operation)
	}
	for name := range ids {
		t.Errorf("%s has no endpoint", name)
	}
}

func TestEndpointWrite(t *testing.T) {
	for operation, want := range map[string]bool{"GetInstance": false, "CreateInstance": true, "DeleteRoute": true, "WatchEvents": false} {
		e, ok := simcloud.EndpointOf(operation)
		if !ok || e.Write() != want {
			t.Errorf("EndpointOf(%s).Write() = %v, %v; want %v", operation, e.Write(), ok, want)
		}
	}
	if _, ok := simcloud.EndpointOf("MakeCoffee"); ok {
		t.Error("MakeCoffee has an endpoint")
	}
}
