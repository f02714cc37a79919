package step

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestArguments: the arguments that lint knows of an operation are those that the cloud's own description has.
func TestArguments(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths      map[string]map[string]described
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	read(t, &doc)
	checked := 0
	for _, e := range simcloud.Endpoints() {
		got, known := argumentsOf(e.Operation)
		if !slices.Contains(syntax.OperationNames(), e.Operation) || !known {
			continue
		}
		checked++
		op := doc.Paths[e.Path][strings.ToLower(e.Method)]
		var want []string
		for _, p := range op.Parameters {
			if p.In == "path" || p.In == "query" {
				want = append(want, p.Name)
			}
		}
		for name := range doc.Components.Schemas[op.body()].Properties {
			want = append(want, name)
		}
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %v, and the cloud takes %v", e.Operation, got, want)
		}
	}
	if least := len(syntax.OperationNames()) - 8; checked < least { // some of the simulator have no method
		t.Errorf("%d operations were looked at, want %d", checked, least)
	}
}

// described is an operation in the description.
type described struct {
	Parameters []struct{ Name, In string }
	Body       struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	} `json:"requestBody"`
}

func (d described) body() string {
	return strings.TrimPrefix(d.Body.Content["application/json"].Schema.Ref, "#/components/schemas/")
}

func read(t *testing.T, doc any) {
	t.Helper()
	cloud, err := sim.Open(t.Context(), sim.Config{Ephemeral: true, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close(context.WithoutCancel(t.Context())) })
	res, err := http.Get(cloud.URL() + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(doc); err != nil {
		t.Fatal(err)
	}
}

// TestAnswerShapes: what expressions are checked against has the fields that captured answers have.
func TestAnswerShapes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value map[string]any
		shape any
	}{
		{newTally().value(), RequestsResult{}},
		{PodResult{}.value("web-1"), ExecResult{}},
		{(&Traffic{}).Value(), observe.TrafficCount{}},
	} {
		want := map[string]any{}
		raw, err := json.Marshal(c.shape)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(c.value)); !reflect.DeepEqual(got, slices.Sorted(maps.Keys(want))) {
			t.Errorf("%T has %v, and there are %v", c.shape, slices.Sorted(maps.Keys(want)), got)
		}
	}
}
