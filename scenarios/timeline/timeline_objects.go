package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// facet is a part of an object or resource whose changes a timeline shows; all else is noise to it.
type facet struct {
	name string
	// of has one text, or several where the part is a list; none when there is no such part.
	of func(object any) []string
}

// fieldFacet is a field of an object.
func fieldFacet(name string, path ...string) facet {
	return facet{name, func(object any) []string { return present(textOf(observe.Dig(object, path...))) }}
}

// listFacet is what stands at a path of each element of a list.
func listFacet(name string, path []string, of ...string) facet {
	return eachFacet(name, path, func(item any) string { return textOf(observe.Dig(item, of...)) })
}

// eachFacet is a text of each element of a list.
func eachFacet(name string, path []string, text func(item any) string) facet {
	return facet{name, func(object any) []string {
		var all []string
		for _, item := range observe.List(observe.Dig(object, path...)) {
			all = append(all, present(text(item))...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}}
}

func conditionFacet(kind string) facet {
	return facet{kind, func(object any) []string {
		for _, c := range observe.List(observe.Dig(object, "status", "conditions")) {
			if observe.Dig(c, "type") == kind {
				return present(textOf(observe.Dig(c, "status")))
			}
		}
		return nil
	}}
}

func present(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

var deletion = fieldFacet("deletionTimestamp", "metadata", "deletionTimestamp")

// objectFacets are those of the cluster's objects, by variable. Variables that are not here are not shown.
var objectFacets = map[string][]facet{
	"nodes": {
		fieldFacet("providerID", "spec", "providerID"), conditionFacet("Ready"), conditionFacet("NetworkUnavailable"),
		listFacet("taints", []string{"spec", "taints"}, "key"), listFacet("addresses", []string{"status", "addresses"}, "address"), deletion,
	},
	"services": {
		fieldFacet("type", "spec", "type"), eachFacet("ingress", []string{"status", "loadBalancer", "ingress"}, ingressText),
		listFacet("finalizers", []string{"metadata", "finalizers"}), deletion,
	},
	"pods":              {fieldFacet("phase", "status", "phase"), deletion},
	"deployments":       {},
	"persistentVolumes": {fieldFacet("phase", "status", "phase"), deletion},
	"leases":            {fieldFacet("holder", "spec", "holderIdentity")},
}

// resourceFacets are those of the cloud's resources, by variable.
var resourceFacets = map[string][]facet{
	"instances":     {fieldFacet("state", "state"), listFacet("addresses", []string{"addresses"}, "address"), fieldFacet("type", "type")},
	"loadBalancers": {fieldFacet("state", "state"), listFacet("vips", []string{"vips"}, "address"), listFacet("listeners", []string{"listeners"}, "port"), listFacet("targets", []string{"targets"}, "instance")},
	"floatingIPs":   {fieldFacet("state", "state"), fieldFacet("attachedTo", "attachedTo")},
	"routeTables":   {eachFacet("routes", []string{"routes"}, routeText)},
	"networks":      {},
	"subnets":       {},
	"volumes":       {fieldFacet("state", "state"), fieldFacet("attachedTo", "attachedTo")},
	"sshKeys":       {},
	"zones":         {fieldFacet("state", "state")},
}

func ingressText(i any) string {
	return strings.TrimSpace(textOf(observe.Dig(i, "ip")) + " " + textOf(observe.Dig(i, "hostname")))
}

func routeText(route any) string {
	hop := textOf(observe.Dig(route, "nextHop", "instance")) + textOf(observe.Dig(route, "nextHop", "address"))
	return fmt.Sprintf("%s to %s, %s", textOf(observe.Dig(route, "destination")), hop, textOf(observe.Dig(route, "state")))
}

func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any, []any:
		return observe.RenderAny(v)
	default:
		return fmt.Sprint(v)
	}
}

// news says what of an object is new: how it came and went, or which facets changed. Nothing, when none did.
func news(facets []facet, before, after map[string]any) (title string, detail map[string]string) {
	detail = map[string]string{}
	switch {
	case before == nil && after == nil:
		return "", nil
	case after == nil:
		return "deleted", detail
	case before == nil:
		for _, f := range facets {
			detail[f.name] = strings.Join(f.of(after), ", ")
		}
		return "created", detail
	}
	for _, f := range facets {
		if was, is := f.of(before), f.of(after); !slices.Equal(was, is) {
			detail[f.name] = changeOf(was, is)
		}
	}
	if len(detail) == 1 {
		for name, change := range detail {
			return name + ": " + change, detail
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(detail)), ", "), detail
}

// changeOf says how a facet has changed: of lists what came and went.
func changeOf(was, is []string) string {
	if len(was) <= 1 && len(is) <= 1 {
		return fmt.Sprintf("%s → %s", cmp.Or(strings.Join(was, ""), "none"), cmp.Or(strings.Join(is, ""), "none"))
	}
	var parts []string
	for _, gone := range was {
		if !slices.Contains(is, gone) {
			parts = append(parts, "−"+gone)
		}
	}
	for _, come := range is {
		if !slices.Contains(was, come) {
			parts = append(parts, "+"+come)
		}
	}
	return strings.Join(parts, " ")
}

// ObjectChanged takes a change of an object of the cluster in.
func (r *Recorder) ObjectChanged(_ *observe.Snapshot, variable string, before, after map[string]any) {
	facets, shown := objectFacets[variable]
	if !shown {
		return
	}
	object := after
	if object == nil {
		object = before
	}
	r.changed(scenarios.LaneKube, strings.TrimSuffix(variable, "s")+" "+textOf(observe.Dig(object, "metadata", "name")), facets, before, after)
}

// ResourceChanged takes a change of a resource of the cloud in.
func (r *Recorder) ResourceChanged(variable, id string, before, after map[string]any) {
	facets, shown := resourceFacets[variable]
	if !shown {
		return
	}
	object, name := after, id
	if object == nil {
		object = before
	}
	if own := textOf(observe.Dig(object, "name")); own != "" && own != id {
		name += " " + own
	}
	place := r.changed(scenarios.LaneCloud, name, facets, before, after)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes[id] = place
}

// ChangeDone adds who has made the change that came last.
func (r *Recorder) ChangeDone(d observe.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if place, ok := r.changes[d.ID]; ok && place >= 0 {
		r.moments[place].Detail["by"] = d.Operation + " of " + words.Who(d.Caller)
		if d.OperationID != "" {
			r.moments[place].Detail[operationID] = string(d.OperationID)
		}
	}
}

// changed takes in what is new of an object or resource. It returns the moment's place; -1 when there is none.
func (r *Recorder) changed(lane scenarios.Lane, what string, facets []facet, before, after map[string]any) int {
	title, detail := news(facets, before, after)
	r.mu.Lock()
	defer r.mu.Unlock()
	if title == "" || !r.open {
		return -1
	}
	return r.offerLocked(scenarios.TimelineEntry{At: r.now(), Lane: lane, Title: what + " " + title, Detail: detail, Object: r.stateLocked(what, before, after)})
}

// EventSeen takes an Event of the cluster in.
func (r *Recorder) EventSeen(e map[string]any) {
	text := observe.EventLines([]any{e})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offerLocked(scenarios.TimelineEntry{At: r.now(), Lane: scenarios.LaneKube, Title: "Event " + text[0], Detail: map[string]string{
		"reason": textOf(observe.Dig(e, "reason")), "type": textOf(observe.Dig(e, "type")), "message": textOf(observe.Dig(e, "message")),
		"about": strings.ToLower(textOf(observe.Dig(e, "involvedObject", "kind"))) + "/" + textOf(observe.Dig(e, "involvedObject", "name")),
		"from":  textOf(observe.Dig(e, "source", "component")), "count": textOf(observe.Dig(e, "count")),
	}})
}
