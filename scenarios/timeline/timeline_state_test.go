package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestTimelineHasStates: a change has what the object was after it, and, where nothing earlier has that, before it; not what
// the API server notes for itself, and no secret.
func TestTimelineHasStates(t *testing.T) {
	vm := func(state string) map[string]any {
		return map[string]any{"name": "web", "state": state, "userData": "#!/bin/sh", "list": []any{map[string]any{"clientSecret": "s3cret", "apiToken": ""}}}
	}
	node := map[string]any{"metadata": map[string]any{"name": "a", "managedFields": []any{"x"}, "labels": map[string]any{"k": "v"}}}
	all := recorded(t, func(r *Recorder) {
		r.ResourceChanged("instances", "i-1", vm("running"), vm("stopped"))
		r.ResourceChanged("instances", "i-1", vm("stopped"), vm("running"))
		r.ResourceChanged("instances", "i-1", vm("running"), nil)
		r.ObjectChanged(nil, "nodes", nil, node)
	})
	states := make([]scenarios.ObjectState, len(all))
	for i, m := range all {
		if m.Object == nil {
			t.Fatalf("%s has no state", m.Title)
		}
		states[i] = *m.Object
	}
	if s := states[0]; s.Name != "i-1 web" || !strings.Contains(s.Before, `"state": "running"`) || !strings.Contains(s.State, `"state": "stopped"`) || !strings.Contains(s.State, `"clientSecret": "[redacted]"`) {
		t.Errorf("the first change: %+v", s)
	}
	if s := states[1]; s.Before != "" || !strings.Contains(s.State, "running") {
		t.Errorf("the second change: %+v", s)
	}
	if states[2].State != "" || states[3].Name != "node a" || !strings.Contains(states[3].State, `"k": "v"`) {
		t.Errorf("the last changes: %+v", states[2:])
	}
	text := fmt.Sprint(states)
	for _, hidden := range []string{"#!/bin/sh", "s3cret", "managedFields"} {
		if strings.Contains(text, hidden) {
			t.Errorf("a state has %q", hidden)
		}
	}
	for _, m := range WithoutStates(all) {
		if m.Object != nil {
			t.Errorf("%s still has a state", m.Title)
		}
	}
}

// TestStatesHaveNoSecrets: what a field is called, what it is labelled with and how it looks tell a secret, as in the calls.
func TestStatesHaveNoSecrets(t *testing.T) {
	object := map[string]any{
		"apiKey": "hidden-1", "kubeconfig": map[string]any{"users": []any{"hidden-2"}}, "credentials": []any{"hidden-3"}, "passphrase": "hidden-4", "access_key": "hidden-5",
		"env": []any{map[string]any{"name": "DB_PASSWORD", "value": "hidden-6"}, map[string]any{"name": "MODE", "value": "shown-1"}},
		"log": "it got hidden-1 of Bearer hidden-7", "keyPair": "shown-2", "tokenID": "tok-3", "privateKeys": true,
	}
	all := recorded(t, func(r *Recorder) { r.ObjectChanged(nil, "nodes", nil, object) })
	if len(all) != 1 || all[0].Object == nil {
		t.Fatalf("%+v has no state", all)
	}
	text := all[0].Object.State
	if strings.Contains(text, "hidden") || strings.Count(text, "[redacted]") != 7 {
		t.Errorf("the state shows secrets:\n%s", text)
	}
	for _, shown := range []string{`"value": "shown-1"`, `"keyPair": "shown-2"`, `"tokenID": "tok-3"`, `"privateKeys": true`} {
		if !strings.Contains(text, shown) {
			t.Errorf("the state lacks %s:\n%s", shown, text)
		}
	}
}

// TestStatesHaveAnEnd: one object is cut, and all together leave the later ones out.
func TestStatesHaveAnEnd(t *testing.T) {
	all := recorded(t, func(r *Recorder) {
		for i := range 300 {
			r.ResourceChanged("instances", fmt.Sprintf("i-%d", i), nil, map[string]any{"state": strings.Repeat("x", 10_000)})
		}
	})
	bytes, without := 0, 0
	for _, m := range all {
		if m.Object == nil {
			without++
			continue
		}
		bytes += len(m.Object.State)
		if !strings.HasSuffix(m.Object.State, "(longer than a report shows)") {
			t.Errorf("a state is not cut: %d bytes", len(m.Object.State))
		}
	}
	if bytes > mostStates || bytes < mostStates/2 || all[0].Object == nil || all[len(all)-1].Object != nil || without == 0 {
		t.Errorf("%d bytes of states, %d changes without", bytes, without)
	}
}
