package fields_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// table is what the test knows of a dialect: a file in testdata.
type table struct {
	Dialect string `json:"dialect"`
	// Start are the calls that make the cloud to which each request is sent.
	Start []probe `json:"start"`
	// Values are those that fields get, by their paths or by how these end. One of a probe comes first; without any it is one that
	// fits the type.
	Values map[string]any `json:"values"`
	Probes []probe        `json:"probes"`
	// Views are reads, besides the lists of the dialect, that show what is kept.
	Views []probe `json:"views"`
	// Refused, Hidden and Ignored say why another value of a field is refused, why it is kept and not shown, and why a field has no
	// effect: by "operation path", or by how the path ends.
	Refused map[string]string `json:"refused"`
	Hidden  map[string]string `json:"hidden"`
	Ignored map[string]string `json:"ignored"`
}

// probe is a request that succeeds.
type probe struct {
	// Operation is one of the dialect; in Start it may be that of the native API, as in "POST /v1/instances".
	Operation string `json:"operation"`
	// ID and Part stand for {id} and {part} in the path.
	ID   string         `json:"id"`
	Part string         `json:"part"`
	Body any            `json:"body"`
	With map[string]any `json:"with"`
}

func readTable(t *testing.T, name string) table {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var read table
	if err := yaml.UnmarshalStrict([]byte(filled(t, string(raw))), &read); err != nil {
		t.Fatalf("%s.yaml: %v", name, err)
	}
	return read
}

// ending finds what a map has for a path, or for the longest end of it.
func ending[T any](of map[string]T, path string) (key string, value T, ok bool) {
	for {
		if value, ok = of[path]; ok {
			return path, value, true
		}
		_, rest, more := strings.Cut(path, ".")
		if !more {
			return "", value, false
		}
		path = rest
	}
}

// values are those that a field gets in a probe, instead of what it has there.
func (t table) values(p probe, f field) []any {
	if value, ok := p.With[f.path]; ok {
		return []any{value}
	}
	if _, value, ok := ending(t.Values, f.path); ok {
		return []any{value}
	}
	has, _ := at(p.Body, f.path)
	switch f.kind {
	case reflect.Bool:
		return []any{true, false}
	case reflect.Map:
		return []any{map[string]any{"other": "yes"}}
	case reflect.Slice:
		return []any{[]any{"other"}}
	case reflect.String:
		return []any{"other"}
	default:
		n, _ := has.(float64)
		return []any{n + 1}
	}
}

// probesOf are the requests that a field is tried in: those that name it, or else those that have what it is in, or all.
func probesOf(all []probe, path string) []probe {
	var named, fit []probe
	for _, p := range all {
		if _, ok := p.With[path]; ok {
			named = append(named, p)
		}
		if _, ok := at(p.Body, parentOf(path)); ok {
			fit = append(fit, p)
		}
	}
	switch {
	case len(named) > 0:
		return named
	case len(fit) > 0:
		return fit
	default:
		return all
	}
}

// reason is what the table says of a field of an operation with an outcome.
func (t table) reason(what outcome, operation, path string) (key, text string) {
	of := map[outcome]map[string]string{refused: t.Refused, hidden: t.Hidden, ignored: t.Ignored}[what]
	if text, ok := of[operation+" "+path]; ok {
		return operation + " " + path, text
	}
	key, text, _ = ending(of, path)
	return key, text
}
