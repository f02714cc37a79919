package expr

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// TestLeftOutFieldsAreZero: what an API leaves out because it is false, 0 or empty is that, also within macros, and where a
// comparison is one of JSON. What it leaves out because there is none stays missing, and has() tells the difference.
func TestLeftOutFieldsAreZero(t *testing.T) {
	t.Parallel()
	s := observe.NewSnapshot("default")
	s.Resources["instances"] = []any{map[string]any{"id": "i-1", "labels": map[string]any{}}, map[string]any{"id": "i-2", "protected": true}}
	s.Resources["loadBalancers"] = []any{map[string]any{"id": "lb-1", "listeners": []any{map[string]any{"port": int64(80)}}}}
	s.Resources["floatingIPs"] = []any{map[string]any{"id": "fip-1"}}
	s.Objects["nodes"] = map[string]any{"node-1": map[string]any{"metadata": map[string]any{"name": "node-1"}, "spec": map[string]any{}}}
	s.Captured["first"] = map[string]any{"id": "i-1"}
	for source, want := range map[string]bool{
		`!instances[0].protected`:                                               true,
		`instances[0].protected == false`:                                       true,
		`!has(instances[0].protected)`:                                          true,
		`!instances[1].protected`:                                               false,
		`!loadBalancers[0].listeners[0].proxyProtocol`:                          true,
		`instances.exists(i, !i.protected && i.id == "i-1")`:                    true,
		`instances.filter(i, !i.protected).map(i, i.id) == ["i-1"]`:             true,
		`loadBalancers.all(l, l.listeners.all(p, !p.proxyProtocol))`:            true,
		`loadBalancers[0].listeners[0].allowedCIDRs == []`:                      true,
		`loadBalancers[0].listeners[0].allowedCIDRs.size() == 0`:                true,
		`loadBalancers[0].listeners[0].idleTimeoutSeconds == 0`:                 true,
		`loadBalancers[0].hostname == "" && !has(loadBalancers[0].hostname)`:    true,
		`floatingIPs[0].attachedTo.id == ""`:                                    true,
		`first == {"id": "i-1"} && !first.protected`:                            true,
		`loadBalancers[0].listeners == [{"port": 80}] && !first.protected`:      true,
		`!nodes["node-1"].spec.unschedulable`:                                   true,
		`nodes["node-1"].spec.taints.size() == 0`:                               true,
		`has(nodes["node-1"].metadata.deletionTimestamp)`:                       false,
		`cel.bind(i, instances[0], !i.protected)`:                               true,
		`instances.exists(i, hasVM(nodes["node-1"], i) || i.protected)`:         true,
		`instances.transformList(n, i, i.protected) == [false, true]`:           true,
		`instances[0].?protected.orValue(true)`:                                 true,
		`(instances[0].protected ? "a" : "b") in [instances[0].userData + "b"]`: true,
	} {
		e := mustCompile(t, source)
		if got, err := e.Truth(s); got != want || err != nil {
			t.Errorf("%s is %t, %v; want %t", source, got, err, want)
		}
		for _, line := range slices.Concat(Explain(e, s), ExplainTrue(e, s)) {
			if strings.Contains(line, "orValue(false)") || strings.Contains(line, "no such key") {
				t.Errorf("%s is explained by %q", source, line)
			}
		}
	}
	for _, source := range []string{`nodes["node-1"].metadata.deletionTimestamp != ""`, `instances[2].protected`, `services.web.metadata.name == ""`, `instances[0].created == ""`} {
		if _, err := mustCompile(t, source).Truth(s); !IsMissing(err) {
			t.Errorf("%s: %v, want what is missing", source, err)
		}
	}
}

// TestExplainOfWhatIsLeftOut: an explanation says the value that the expression has read.
func TestExplainOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	s := observe.NewSnapshot("default")
	s.Resources["instances"] = []any{map[string]any{"id": "i-1"}}
	for source, want := range map[string]string{
		`instances[0].protected`:           "instances[0].protected = false",
		`instances.exists(i, i.protected)`: "i.protected = false",
		`instances[0].userData.size() > 3`: "instances[0].userData",
	} {
		if lines := strings.Join(Explain(mustCompile(t, source), s), "\n"); !strings.Contains(lines, want) {
			t.Errorf("%s is explained by\n%s\nwant %s", source, lines, want)
		}
	}
}

func mustCompile(t *testing.T, source string) *Expr {
	t.Helper()
	c, err := NewCompiler()
	if err == nil {
		err = c.Declare("first", TypeOf(observe.Kinds[0].Type))
	}
	if err != nil {
		t.Fatal(err)
	}
	e, issues := c.Compile(source)
	if e == nil {
		t.Fatalf("%s: %v", source, issues[0].Message)
	}
	return e
}

// TestEachFieldHasItsZero walks the types of all that expressions see: a boolean, a number, a text or a list that its API may
// leave out has a value then, and nothing else of those kinds is forgotten.
func TestEachFieldHasItsZero(t *testing.T) {
	t.Parallel()
	all := []reflect.Type{reflect.TypeFor[corev1.Node](), reflect.TypeFor[corev1.Service](), reflect.TypeFor[corev1.Event](), reflect.TypeFor[corev1.Pod]()}
	for _, kind := range observe.Kinds {
		all = append(all, kind.Type)
	}
	w := &zeroWalk{t: t, seen: map[reflect.Type]bool{}}
	for _, of := range all {
		TypeOf(of)
		w.walk(of, of)
	}
	if w.fields < 300 {
		t.Errorf("only %d fields were looked at", w.fields)
	}
}

// zeroWalk visits the fields of types.
type zeroWalk struct {
	t      *testing.T
	seen   map[reflect.Type]bool
	fields int
}

// walk looks at the fields of a type as those of an owner, in which it may be embedded.
func (w *zeroWalk) walk(of, owner reflect.Type) {
	plainOwner := of == owner
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if plainOwner {
		owner = of
	}
	if of.Kind() != reflect.Struct || plainOwner && w.seen[of] || asWritten(of) != nil {
		return
	}
	w.seen[of] = plainOwner
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && (name == "" || strings.Contains(options, "inline")) {
			w.walk(field.Type, owner)
			continue
		}
		w.walk(field.Type, field.Type)
		if name == "" || name == "-" || !strings.Contains(options, "omit") {
			continue
		}
		plain := slices.Contains([]reflect.Kind{reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64, reflect.String, reflect.Slice, reflect.Map, reflect.Float64}, field.Type.Kind())
		w.fields++
		if has := known.zeroFor(owner.PkgPath()+"."+owner.Name(), name) != nil; plain && !has || field.Type.Kind() == reflect.Pointer && has {
			w.t.Errorf("%s.%s of the type %s: has a value when it is left out: %t", owner, name, field.Type, has)
		}
	}
}
