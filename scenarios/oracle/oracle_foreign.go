package oracle

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// foreignOracle is "foreign-kept": what the CCM has not made itself it leaves
// as it is, but for what a Service asks for by name. That holds for resources, and for the
// routes, listeners, targets and rules of others in what it may write to, and for the security groups that
// others have given to an instance or a load balancer. To a security group of others it adds rules for Services alone.
type foreignOracle struct {
	observe.NopObserver
	ids dialect.IDs
	// made are the resources and parts that the CCM has made, foreign those of others.
	made, foreign map[string]bool
	resources     map[string]map[string]any // all that there were, by Ref, as they were last
	services      map[string]map[string]any // all that there were, by UID
	asked         map[string]bool           // the words of their annotations and specs
	annotated     map[annotationWord]bool   // the words of their annotations
	vms           map[string]bool           // that are there and stay, by id
	nodes         map[string]bool           // the VMs of Nodes that there were
	ports         map[servicePort]bool      // those of Services of type LoadBalancer that there were
	candidates    []violation
	podRanges     []string
	writes        []string // what of others the CCM is meant to write
}

// violation is something that the CCM has done to what is not its own.
type violation struct {
	observe.Change
	did     string         // "deleted"
	part    string         // the key of the part that it was done to; empty for the resource itself
	subject map[string]any // the resource or the part, as it was
	text    string
	vmGone  bool // whether the target's VM was gone by then
}

func newForeignOracle(g Given) *foreignOracle {
	return &foreignOracle{
		podRanges: g.PodRanges, writes: g.Writes, ids: g.IDs, annotated: map[annotationWord]bool{},
		made: map[string]bool{}, foreign: map[string]bool{}, resources: map[string]map[string]any{}, services: map[string]map[string]any{},
		ports: map[servicePort]bool{}, asked: map[string]bool{}, vms: map[string]bool{}, nodes: map[string]bool{},
	}
}

// Begin takes all that is there for other clients', unless the CCM was seen to make it.
func (o *foreignOracle) Begin(s *observe.Snapshot) {
	for _, k := range observe.LeakKinds {
		for _, r := range s.Resources[k.Variable] {
			resource, _ := r.(map[string]any)
			o.belongs(observe.RefOf(k.Variable, observe.ResourceID(r)), nil, resource, o.foreign)
		}
	}
}

// belongs notes whose a resource and its new parts are.
func (o *foreignOracle) belongs(ref string, before, after map[string]any, whose map[string]bool) {
	if before == nil && !o.made[ref] {
		whose[ref] = true
	}
	if after != nil {
		o.resources[ref] = after
	}
	old := partsOf(before)
	for key := range partsOf(after) {
		if _, there := old[key]; !there && !o.made[ref+" "+key] {
			whose[ref+" "+key] = true
		}
	}
}

// partsOf are the routes, listeners, targets and rules of a resource, and the security groups that it has. The target
// of a target group is known by instance and port.
func partsOf(resource map[string]any) map[string]map[string]any {
	parts := map[string]map[string]any{}
	for field, key := range map[string]string{"routes": "id", "listeners": "id", "targets": "instance", "rules": "id"} {
		for _, p := range observe.List(resource[field]) {
			part, _ := p.(map[string]any)
			if port, grouped := part["port"]; field == "targets" && grouped {
				parts[fmt.Sprintf("target %v %v", part[key], port)] = part
				continue
			}
			parts[fmt.Sprintf("%s %v", strings.TrimSuffix(field, "s"), part[key])] = part
		}
	}
	for _, group := range observe.List(resource["securityGroups"]) {
		parts[fmt.Sprintf("group %v", group)] = map[string]any{"id": group}
	}
	return parts
}

func (o *foreignOracle) ResourceChanged(variable, id string, before, after map[string]any) {
	switch {
	case variable == "instances":
		o.vms[id] = !leaving(after)
	case newDefaultGroup(variable, before, after): // the CCM's only if a call of it was for that
		o.belongs(observe.RefOf(variable, id), nil, after, o.foreign)
	}
}

func (o *foreignOracle) ObjectChanged(_ *observe.Snapshot, variable string, _, after map[string]any) {
	switch {
	case isService(variable) && after != nil:
		o.services[uidOf(after)] = after
		for _, port := range portsOf(after) {
			o.ports[port] = true
		}
		for _, word := range namesIn(terms(after)) {
			o.asked[word] = true
		}
		for _, word := range annotationWords(after) {
			o.annotated[word] = true
		}
	case variable == "nodes" && after != nil:
		o.nodes[vmIDOf(o.ids, after)] = true
	}
}

func (o *foreignOracle) ChangeDone(d observe.Change) {
	whose := o.foreign
	if newDefaultGroup(d.Variable, d.Before, d.After) {
		delete(o.foreign, d.Ref)
		o.forget(observe.Change{Ref: d.Ref, Before: d.After})
	}
	if !d.Harness {
		whose = o.made
		if o.foreign[d.Ref] {
			o.suspectWhole(d)
			o.suspectRules(d)
		}
		if !leaving(d.After) {
			o.suspectParts(d)
		}
	}
	o.forget(d)
	o.belongs(d.Ref, d.Before, d.After, whose)
}

// forget drops whose the parts were that are gone: another one may come to have their keys.
func (o *foreignOracle) forget(d observe.Change) {
	after := partsOf(d.After)
	for key := range partsOf(d.Before) {
		if _, kept := after[key]; !kept {
			delete(o.made, d.Ref+" "+key)
			delete(o.foreign, d.Ref+" "+key)
		}
	}
}

func (o *foreignOracle) suspectWhole(d observe.Change) {
	what := fmt.Sprintf("%s %q", shownRef(o.ids, d.Ref), observe.Dig(d.Before, "name"))
	switch {
	case !leaving(d.Before) && leaving(d.After):
		o.candidates = append(o.candidates, violation{Change: d, did: "deleted", subject: d.Before, text: what})
	case !leaving(d.Before) && !reflect.DeepEqual(own(d.Variable, d.Before), own(d.Variable, d.After)):
		o.candidates = append(o.candidates, violation{Change: d, did: "changed", subject: d.Before, text: what})
	}
}

// derived are the fields of a resource that are of its parts, or follow from what others do.
var derived = []string{"operation", "vips", "listeners", "targets", "routes", "rules", "securityGroups", "loadBalancer", "statusText"}

// own is what a resource has of its own. A VM's state is, because only its owner may change it.
func own(variable string, resource map[string]any) any {
	kept, _ := expr.Lasting(resource).(map[string]any)
	for _, field := range derived {
		delete(kept, field)
	}
	if variable != "instances" {
		delete(kept, "state")
		return kept
	}
	for field, prefix := range map[string]string{"labels": forwardingLabel, "options": forwardingOption} {
		texts, _ := kept[field].(map[string]any)
		maps.DeleteFunc(texts, func(key string, _ any) bool { return strings.HasPrefix(key, prefix) })
		if len(texts) == 0 {
			delete(kept, field)
		}
	}
	return kept
}

// Where dialects keep whether a VM forwards the packets of pods, for which the cloud has no field: that of AWS in a label,
// that of OpenStack in an option for each port. A CCM changes that when it makes a route to the VM or removes it.
const (
	forwardingLabel  = "aws.simcloud.dev/source-dest-check"
	forwardingOption = "allowed-address-pairs."
)

// suspectRules suspects the rules that come to a security group of others.
func (o *foreignOracle) suspectRules(d observe.Change) {
	before := partsOf(d.Before)
	for key, part := range partsOf(d.After) {
		if _, there := before[key]; !there && strings.HasPrefix(key, "rule ") {
			o.candidates = append(o.candidates, violation{Change: d, did: "added", part: key, subject: part, text: fmt.Sprintf("the %s to %s", key, shownRef(o.ids, d.Ref))})
		}
	}
}

func (o *foreignOracle) suspectParts(d observe.Change) {
	after := partsOf(d.After)
	for key, part := range partsOf(d.Before) {
		if !o.foreign[d.Ref+" "+key] {
			continue
		}
		f := violation{
			Change: d, did: "removed", part: key, subject: part, text: fmt.Sprintf("the %s of %s", key, shownRef(o.ids, d.Ref)),
			vmGone: !o.vms[vmOfTarget(key)],
		}
		now, there := after[key]
		switch {
		case !there && o.made[d.Ref] && !isFor(d.Operation, key): // the cloud has dropped it from what is the CCM's own
		case !there:
			o.candidates = append(o.candidates, f)
		case !reflect.DeepEqual(own("", part), own("", now)):
			f.did = "changed"
			o.candidates = append(o.candidates, f)
		}
	}
}

// vmOfTarget is the VM of a part that is a target, "target i-1" or "target i-1 80".
func vmOfTarget(part string) string {
	vm, _, _ := strings.Cut(strings.TrimPrefix(part, "target "), " ")
	return vm
}

// excused reports whether the CCM may have done it.
func (o *foreignOracle) excused(f violation) bool {
	if o.mayWrite(f) {
		return true
	}
	marks := marks(f.subject)
	for uid := range o.services {
		if bears(marks, uid) { // made in its name, whoever has called for it
			return true
		}
	}
	kind, _, _ := strings.Cut(f.part, " ")
	switch kind {
	case "":
		return f.did == "changed" && o.askedFor(f.Ref, f.subject)
	case "route":
		return inRanges(f.subject["destination"], o.podRanges)
	case "rule", "group": // of what is its own
		return o.made[f.Ref] || f.did == "added" && o.forService(f.subject)
	case "listener": // of its own load balancer, on a port that a Service has
		return o.made[f.Ref] && o.hasPort(f.subject["port"])
	default:
		return f.vmGone || o.made[f.Ref] && o.nodes[vmOfTarget(f.part)]
	}
}

// askedFor reports whether a Service names a resource: by id, as the cloud or the dialect of the CCM shows it, by name, or by address.
func (o *foreignOracle) askedFor(ref string, resource map[string]any) bool {
	kind, id, _ := strings.Cut(ref, "/")
	for a := range o.annotated {
		if o.ids.Names(simcloud.Kind(kind), simcloud.ID(id), a.key, a.word) {
			return true
		}
	}
	return slices.ContainsFunc([]string{"id", "name", "address"}, func(field string) bool {
		word, _ := resource[field].(string)
		return word != "" && o.asked[word]
	})
}

func (o *foreignOracle) hasPort(port any) bool {
	for _, service := range o.services {
		if slices.ContainsFunc(observe.List(observe.Dig(service, "spec", "ports")), func(p any) bool { return observe.Dig(p, "port") == port }) {
			return true
		}
	}
	return false
}

// inRanges reports whether a route is to pods, which have these ranges: there upstream's route
// controller removes what no node needs (route_controller.go, isResponsibleForRoute). A
// route to more than the cluster, such as the one to everywhere, is not one of them.
func inRanges(destination any, podRanges []string) bool {
	text, _ := destination.(string)
	to, err := netip.ParsePrefix(text)
	if err != nil {
		return false
	}
	for _, cidr := range podRanges {
		if pods, err := netip.ParsePrefix(cidr); err == nil && pods.Overlaps(to) && pods.Bits() <= to.Bits() {
			return true
		}
	}
	return false
}

func (o *foreignOracle) verdict(r Run, _ *observe.Snapshot) []scenarios.Failure {
	attributed := slices.DeleteFunc(slices.Clone(o.candidates), o.excused)
	if len(attributed) == 0 {
		return nil
	}
	f := scenarios.Failure{
		Oracle:   "foreign-kept",
		At:       r.Since(attributed[0].At),
		Headline: fmt.Sprintf("the CCM has %s %s, which it has not made", attributed[0].did, attributed[0].text),
		Because:  "A CCM must not change what other clients of the project have made.",
	}
	for _, g := range attributed {
		f.Values = append(f.Values, fmt.Sprintf("%s: %s by %s of %s at %s", g.text, g.did, g.Operation, g.Caller.UserAgent, momentOf(r, g.At)))
	}
	return []scenarios.Failure{f}
}
