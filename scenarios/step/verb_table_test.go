package step

import (
	"reflect"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// TestVerbs: a verb says all that the loader, the oracles, the schema and the README need of it.
func TestVerbs(t *testing.T) {
	for _, v := range Verbs() {
		if v.Effect != syntax.ReadOnly && v.Effect != syntax.Acts {
			t.Errorf("%s does not say whether it acts or only reads: Effect is %q", v.Name, v.Effect)
		}
		if v.Name == "" || v.Doc == "" || len(v.Examples) == 0 {
			t.Errorf("%q lacks a name, a doc or examples", v.Name)
		}
		if _, runs := v.New().(action); !runs {
			t.Errorf("what %s makes cannot run", v.Name)
		}
		documented(t, v.Name, reflect.TypeOf(v.New()).Elem())
	}
}

// documented reports the keys that say nothing of what they are.
func documented(t *testing.T, path string, of reflect.Type) {
	for _, f := range reflect.VisibleFields(of) {
		tag, tagged := f.Tag.Lookup("yaml")
		if !tagged {
			continue
		}
		if tag[0] != ',' && f.Tag.Get("doc") == "" {
			t.Errorf("the field %s.%s has no doc", path, f.Name)
		}
		if kind := f.Type; kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.Struct {
			documented(t, path+"."+f.Name, kind.Elem())
		}
	}
}
