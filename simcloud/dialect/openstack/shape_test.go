package openstack_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// shape is what one part of an answer looks like: an object, or a list of objects.
type shape struct {
	// types are those that Gophercloud decodes an object into. The object has all of their fields.
	types []any
	// besides are fields that an object may have besides: OpenStack has them, and Gophercloud reads them in its own way or not at all.
	besides []string
	// optional are fields of the types that an object may lack.
	optional []string
}

// shapes are the parts of the answers of the services, by their mounts.
var shapes = map[string]map[string]shape{
	"identity": keystoneShapes,
	"network":  neutronShapes,

	"compute":       novaShapes,
	"load-balancer": octaviaShapes,
}

// shapeOf finds the shape of a part. The links to other pages are a part of every service.
func shapeOf(mount, part string) (shape, bool) {
	known, ok := shapes[mount][part]
	if collection, isLinks := strings.CutSuffix(part, "_links"); isLinks {
		_, ok = shapes[mount][collection]
		return shape{besides: []string{"rel", "href"}}, ok
	}
	return known, ok
}

// judge checks the objects of a part.
func (s shape) judge(t *testing.T, what string, raw json.RawMessage) {
	t.Helper()
	if bytes.HasPrefix(raw, []byte("[")) {
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			t.Errorf("%s: %v in %s", what, err, raw)
		}
		for _, item := range items {
			s.judge(t, what, item)
		}
		return
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		t.Errorf("%s: is %s, want an object or a list: %v", what, raw, err)
		return
	}
	known := slices.Clone(s.besides)
	for _, of := range s.types {
		if err := json.Unmarshal(raw, reflect.New(reflect.TypeOf(of)).Interface()); err != nil {
			t.Errorf("%s: %v in %s", what, err, raw)
		}
		fields := fieldsOf(reflect.TypeOf(of))
		known = append(known, fields...)
		for _, field := range fields {
			if _, there := object[field]; !there && !slices.Contains(s.optional, field) {
				t.Errorf("%s: %s is missing in %s", what, field, raw)
			}
		}
	}
	for field := range object {
		if !slices.Contains(known, field) {
			t.Errorf("%s: %s is not a field that OpenStack has: %s", what, field, raw)
		}
	}
}

// fieldsOf are the names in JSON of the fields of a struct.
func fieldsOf(of reflect.Type) []string {
	var names []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct:
			names = append(names, fieldsOf(field.Type)...)
		case name == "":
			names = append(names, strings.ToLower(field.Name))
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}
