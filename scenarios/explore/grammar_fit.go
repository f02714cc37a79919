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
		return o.part == partNodes || slices.Contains(gr.areas, promiseOf(o.part).area) // every history begins with it
	case addService, exclude, slowBalancers, foreignBalancer:
		return slices.Contains(gr.areas, Services)
	case foreignRoute, dropRoute:
		return slices.Contains(gr.areas, Routes)
	default: // it rests on one of those
		return true
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
