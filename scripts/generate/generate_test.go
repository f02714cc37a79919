package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

const root = "../.."

// TestCurrent: the generated files are what the API asks for. "go generate" brings them up to date.
func TestCurrent(t *testing.T) {
	t.Parallel()
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not current: run go generate ./scripts/generate", path)
		}
	}
}

func TestEveryEndpointOfTheCloudHasAShape(t *testing.T) {
	t.Parallel()
	methods, err := readMethods(filepath.Join(root, "simcloud"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range simcloud.Endpoints() {
		known := slices.ContainsFunc(methods, func(m method) bool { return m.name == e.Operation })
		if byHand := e.Kind() == ""; known == byHand {
			t.Errorf("%s has generated code: %v, want %v", e.Operation, known, !byHand)
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	methods, err := readMethods(filepath.Join(root, "simcloud"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, client, server string }{
		{"ListZones", `list[simcloud.Zone](ctx, c, "ListZones", opts)`, "list(api.ListZones)"},
		{"GetZone", `get[simcloud.Zone](ctx, c, "GetZone", id)`, "get(api.GetZone)"},
		{"CreateZone", `mutate[simcloud.Zone](ctx, c, "CreateZone", spec, opts)`, "create(api.CreateZone)"},
		{"SetZoneState", `mutate[simcloud.Zone](ctx, c, "SetZoneState", spec, opts, id)`, "update(api.SetZoneState)"},
		{"DeleteZone", `remove(ctx, c, "DeleteZone", id, opts)`, "remove(api.DeleteZone)"},
		{"StartInstance", `mutate[simcloud.Instance](ctx, c, "StartInstance", nil, opts, id)`, "act(api.StartInstance)"},
		{"CreateTarget", `mutate[simcloud.LoadBalancer](ctx, c, "CreateTarget", spec, opts, lb)`, "createPart(api.CreateTarget)"},
		{
			"UpdateListener", `mutate[simcloud.LoadBalancer](ctx, c, "UpdateListener", config, opts, lb, listener)`,
			`updatePart("listener", api.UpdateListener)`,
		},
		{
			"DeleteTarget", `mutate[simcloud.LoadBalancer](ctx, c, "DeleteTarget", nil, opts, lb, instance)`,
			`removePart("instance", api.DeleteTarget)`,
		},
	} {
		i := slices.IndexFunc(methods, func(m method) bool { return m.name == test.name })
		if i < 0 {
			t.Errorf("%s was not read", test.name)
			continue
		}
		if got := clientCall(methods[i]); got != test.client {
			t.Errorf("client: %s, want %s", got, test.client)
		}
		if got := serverRoute(methods[i]); got != test.server {
			t.Errorf("server: %s, want %s", got, test.server)
		}
	}
}

func TestMethodsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"no API":            "package simcloud\ntype Zone struct{}\n",
		"foreign part":      "package simcloud\ntype API interface{ ZoneAPI }\n",
		"without endpoint":  "package simcloud\ntype API interface{ ZoneAPI }\ntype ZoneAPI interface{ Paint(ctx context.Context, id ID) (Zone, error) }\n",
		"ids do not fit":    "package simcloud\ntype API interface{ ZoneAPI }\ntype ZoneAPI interface{ GetZone(ctx context.Context) (Zone, error) }\n",
		"source is not Go.": "package",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "api.go"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readMethods(dir); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
