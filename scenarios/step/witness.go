package step

import (
	"sync"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
)

// witness is an observer that remembers everything that there was: what never was there, no CCM can have removed.
type witness struct {
	observe.NopObserver
	mu   sync.Mutex
	seen map[string]bool // resources of the cloud by ref, objects by variable and name
}

func newWitness() *witness { return &witness{seen: map[string]bool{}} }

// ResourceChanged notes the resource, and an instance's names as those of a machine.
func (w *witness) ResourceChanged(variable, id string, before, after map[string]any) {
	w.note(observe.RefOf(variable, id))
	w.note(variable)
	if variable != "instances" {
		return
	}
	for _, instance := range []map[string]any{before, after} {
		for _, field := range []string{"name", "hostname"} {
			if name, _ := instance[field].(string); name != "" {
				w.note("nodes/" + name)
			}
		}
	}
}

// ObjectChanged notes the object.
func (w *witness) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	for _, object := range []map[string]any{before, after} {
		if name, _ := observe.Dig(object, "metadata", "name").(string); name != "" {
			w.note(variable + "/" + name)
		}
	}
}

func (w *witness) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[what] = true
}

// resource reports whether the cloud ever had a resource.
func (w *witness) resource(ref string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[ref]
}

// object reports whether the cluster ever had an object; for a Node, whether there ever was an instance of the name.
func (w *witness) object(variable, name string) bool { return w.resource(variable + "/" + name) }
