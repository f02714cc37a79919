package observe

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// Names notes what the things of a run are called that logs tell of: Nodes and Services by their names; resources of the
// cloud by their ids and addresses, and machines and load balancers by their names too. Other resources have names, such
// as "default", that logs use for something else.
type Names struct {
	NopObserver
	ids dialect.IDs
	all map[string]bool
	// services are the names of Services by the beginnings of their UIDs, which CCMs put into the names of what they make.
	services map[string]string
}

// NewNames makes an observer that knows no names yet, of a cloud that shows ids so.
func NewNames(ids dialect.IDs) *Names {
	return &Names{ids: ids, all: map[string]bool{}, services: map[string]string{}}
}

// uidLetters is how many letters of a UID, without its dashes, tell whose it is.
const uidLetters = 16

// ResourceChanged notes the names of a resource.
func (n *Names) ResourceChanged(variable, id string, before, after map[string]any) {
	n.note(id)
	if kind, known := kindOf(variable); known {
		n.noteID(n.ids.Shown(kind.Kind, simcloud.ID(id)))
	}
	for _, resource := range []map[string]any{before, after} {
		n.note(resource["address"])
		for _, address := range slices.Concat(List(resource["addresses"]), List(resource["vips"])) {
			n.note(Dig(address, "address"))
		}
		for _, route := range List(resource["routes"]) {
			n.note(Dig(route, "id"))
			n.note(Dig(route, "destination"))
		}
		if slices.Contains([]string{"instances", "loadBalancers", "targetGroups"}, variable) {
			n.note(resource["name"])
			n.note(resource["hostname"])
		}
	}
}

// ObjectChanged notes the name of a Node, and of a Service of any namespace.
func (n *Names) ObjectChanged(_ *Snapshot, variable string, before, after map[string]any) {
	if !slices.Contains([]string{"nodes", "services", ServicesElsewhere}, variable) {
		return
	}
	for _, object := range []map[string]any{before, after} {
		n.note(Dig(object, "metadata", "name"))
		name, _ := Dig(object, "metadata", "name").(string)
		uid, _ := Dig(object, "metadata", "uid").(string)
		if uid = strings.ReplaceAll(uid, "-", ""); len(uid) >= uidLetters && variable != "nodes" {
			n.services[uid[:uidLetters]] = name
		}
	}
}

// noteID notes the id that the dialect shows. A number alone is in texts for much else.
func (n *Names) noteID(id string) {
	if strings.Trim(id, "0123456789") != "" {
		n.note(id)
	}
}

func (n *Names) note(name any) {
	if text, ok := name.(string); ok && len(text) > 1 {
		n.all[text] = true
	}
}

// wordRE finds what may be a name: an address or a range of them too, and what stands on both sides of a "/".
var wordRE = regexp.MustCompile(`[\w.:/-]+`)

// In are the names that a text has, each once, in their order; then those of the Services whose UIDs it has.
func (n *Names) In(text string) (found []string) {
	for _, word := range wordRE.FindAllString(text, -1) {
		word = strings.Trim(word, ".:/-")
		for _, name := range append([]string{word}, strings.Split(word, "/")...) {
			if n.all[name] && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	letters := strings.ReplaceAll(text, "-", "")
	for _, uid := range slices.Sorted(maps.Keys(n.services)) {
		if name := n.services[uid]; strings.Contains(letters, uid) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}
