package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// What oracles want to know of Services and of what is made for them, whoever the CCM is.

// isService reports whether a variable of the snapshot has Services, of whichever namespace.
func isService(variable string) bool {
	return variable == "services" || variable == observe.ServicesElsewhere
}

// allServices are the Services of all namespaces.
func allServices(s *observe.Snapshot) []any {
	return slices.Concat(slices.Collect(maps.Values(s.Objects["services"])), slices.Collect(maps.Values(s.Objects[observe.ServicesElsewhere])))
}

// wantsBalancer reports whether a Service is one that a CCM makes a load balancer for.
func wantsBalancer(service map[string]any) bool {
	return service != nil && observe.Dig(service, "spec", "type") == "LoadBalancer" &&
		observe.Dig(service, "spec", "loadBalancerClass") == nil && observe.Dig(service, "metadata", "deletionTimestamp") == nil
}

func uidOf(object any) string {
	uid, _ := observe.Dig(object, "metadata", "uid").(string)
	return uid
}

// NameOf is the name of an object of the cluster.
func NameOf(object any) string {
	name, _ := observe.Dig(object, "metadata", "name").(string)
	return name
}

// addressesTold are the addresses and names that a Service's status tells.
func addressesTold(service any) []string {
	var all []string
	for _, i := range observe.List(observe.Dig(service, "status", "loadBalancer", "ingress")) {
		for _, key := range []string{"ip", "hostname"} {
			if text, _ := observe.Dig(i, key).(string); text != "" {
				all = append(all, text)
			}
		}
	}
	return all
}

// vipsOf are the addresses that a load balancer listens on, and its DNS name.
func vipsOf(balancer any) []string {
	var all []string
	if name, _ := observe.Dig(balancer, "hostname").(string); name != "" {
		all = append(all, name)
	}
	for _, v := range observe.List(observe.Dig(balancer, "vips")) {
		if address, _ := observe.Dig(v, "address").(string); address != "" {
			all = append(all, address)
		}
	}
	return all
}

// shortMark is how much of a UID without dashes a name that upstream makes of it has at least:
// "a" and the UID, together up to 32 characters (cloudprovider.DefaultLoadBalancerName).
const shortMark = 31

// marks is all in which a CCM may have written for whom it has made a resource: its name and labels.
func marks(resource map[string]any) string {
	raw, err := json.Marshal([]any{resource["name"], resource["labels"]})
	if err != nil {
		return ""
	}
	return string(raw)
}

// bears reports whether marks have the UID of an object, in whichever way a CCM writes that.
func bears(marks, uid string) bool {
	compact := strings.ReplaceAll(uid, "-", "")
	return uid != "" && (strings.Contains(marks, uid) || strings.Contains(marks, compact[:min(shortMark, len(compact))]))
}

// terms is what a Service says of itself to a CCM: its annotations and its spec.
func terms(service map[string]any) string {
	raw, err := json.Marshal([]any{observe.Dig(service, "metadata", "annotations"), service["spec"]})
	if err != nil {
		return ""
	}
	return string(raw)
}

// annotationWord is a word of the value of an annotation.
type annotationWord struct{ key, word string }

// annotationWords are the words of the annotations of a Service: names, ids and addresses, and those that have other
// signs in them, such as an ARN.
func annotationWords(service map[string]any) (all []annotationWord) {
	annotations, _ := observe.Dig(service, "metadata", "annotations").(map[string]any)
	for key, value := range annotations {
		text := fmt.Sprint(value)
		whole := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;", r) })
		for _, word := range append(namesIn(text), whole...) {
			all = append(all, annotationWord{key, word})
		}
	}
	return all
}

// shownRef names a resource as the journal does, with the id that the dialect of the CCM shows.
func shownRef(ids dialect.IDs, ref string) string {
	kind, id, _ := strings.Cut(ref, "/")
	if shown := ids.Shown(simcloud.Kind(kind), simcloud.ID(id)); shown != id {
		return words.Shown(ref, shown)
	}
	return ref
}

// namesIn are the names, ids and addresses in a text.
func namesIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._:", r)
	})
}

// leaving reports whether a resource is gone or on its way out.
func leaving(resource map[string]any) bool {
	return resource == nil || resource["state"] == "deleting" || resource["state"] == "terminating"
}

// live reports whether a resource is there, and not on its way out or broken.
func live(resource map[string]any) bool {
	return !leaving(resource) && resource["state"] != "error"
}
