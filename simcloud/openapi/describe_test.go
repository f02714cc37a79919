package openapi_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// TestDescribe: a type is described by its comments, without the names that Go has for things.
func TestDescribe(t *testing.T) {
	t.Parallel()
	got, err := openapi.Describe(reflect.TypeFor[fault.Reset]())
	if err != nil {
		t.Fatal(err)
	}
	want := openapi.Described{Doc: "Drops the connection instead of answering.", Fields: []openapi.Field{{
		Name: "when", Type: "string", Required: true, Doc: "Before or after the operation.", Values: []openapi.Value{
			{Value: "before", Doc: "the operation does not happen"},
			{Value: "after", Doc: "it has happened, and the caller gets no answer; a stream breaks in place of its first message"},
		},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	delay, err := openapi.Describe(reflect.TypeFor[fault.Delay]())
	if err != nil {
		t.Fatal(err)
	}
	jitter := openapi.Field{Name: "jitter", Type: "duration", Doc: "How much later still, at most."}
	if len(delay.Fields) != 2 || cmp.Diff(jitter, delay.Fields[1]) != "" {
		t.Errorf("the fields of delay: %+v, want the second %+v", delay.Fields, jitter)
	}
}
