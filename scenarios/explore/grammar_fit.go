package explore

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fits reports whether an op can be in a history of the grammar: a corpus may have those of another one.
func (gr grammar) fits(op Op) bool {
	switch o := op.(type) {
	case newToken:
		return gr.able["tokenRenewal"]
	case arm:
		return gr.able["errorState"] || !strings.Contains(o.effects, "to: error")
	case check:
		return gr.promised(promiseOf(o.part))
	case delayAPI:
		return !gr.prompt
	case lagAPI:
		return gr.canLag(o.resources)
	case travelAPI:
		return gr.canLag(o.resources)
	case moveVM, addAddress, addToldVM:
		return gr.able["severalAddresses"]
	case rivalService:
		return gr.able[o.wants.needs()]
	case nameTaken:
		return gr.able["sameNames"]
	case breakBalancer:
		return gr.able["errorState"]
	case addService:
		return slices.Contains(gr.areas, Services) && gr.grants(o.settings())
	case changeRanges, changeAffinity, changePolicy, changeFamilies:
		return gr.grants(settingsAskedBy(o))
	case exclude, slowBalancers, foreignBalancer, foreignAddress:
		return slices.Contains(gr.areas, Services)
	case foreignRoute, dropRoute, fullTable, addTwin:
		return slices.Contains(gr.areas, Routes)
	default: // it rests on one of those
		return true
	}
}

// promised reports whether the CCM promises a part. Every history begins with Nodes that are initialised.
func (gr grammar) promised(p promise) bool {
	return p.part == partNodes || slices.Contains(gr.areas, p.area) && (p.needs == "" || gr.able[p.needs])
}

// grants reports whether the CCM can do what a Service asks for. Every one can have the policy Local: its health checks
// are what takes a capability.
func (gr grammar) grants(s settings) bool {
	return (!s.sticky || gr.able["sessionAffinity"]) && (!s.dual || gr.able["dualStack"]) && (s.ranges == 0 || gr.able["sourceRanges"])
}

// settingsAskedBy are those that an op can ask for.
func settingsAskedBy(op Op) settings {
	switch op.(type) {
	case changeRanges:
		return settings{ranges: 1}
	case changeAffinity:
		return settings{sticky: true}
	case changeFamilies:
		return settings{dual: true}
	default:
		return settings{local: true}
	}
}

// lastNumber is the number with which the name of a VM or a Service ends.
var lastNumber = regexp.MustCompile(`-(\d+)$`)

// highest is the highest number that a VM or a Service of a history has.
func highest(h History) int {
	most := h.Nodes
	for _, op := range h.Ops {
		if part := lastNumber.FindStringSubmatch(op.about()); part != nil {
			if n, err := strconv.Atoi(part[1]); err == nil {
				most = max(most, n)
			}
		}
	}
	return most
}
