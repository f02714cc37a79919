package observe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Made notes everything that the cloud held at some moment of a run, with ids
// and addresses: what another run with the same seed makes again. Names are
// left out, because a CCM may put the UIDs of Kubernetes into them.
type Made struct {
	NopObserver
	lines map[string]string
}

// NewMade makes an inventory that has nothing yet.
func NewMade() *Made { return &Made{lines: map[string]string{}} }

// ResourceChanged notes a resource and the routes in it.
func (m *Made) ResourceChanged(variable, id string, before, after map[string]any) {
	if kind, shown := kindOf(variable); !shown || !kind.Leaks {
		return
	}
	ref := RefOf(variable, id)
	if after == nil {
		after = before // made before the watch began, and deleted since
	}
	for _, route := range List(Dig(after, "routes")) {
		m.lines[RouteRef(route)] = RouteRef(route)
	}
	// The line with the most addresses says the most: on its way out a resource loses them.
	if line := inventoryLine(ref, after); len(line) >= len(m.lines[ref]) {
		m.lines[ref] = line
	}
}

// Inventory lists what was made, by kind and in the order of the ids.
func (m *Made) Inventory() []string {
	var lines []string
	for _, line := range m.lines {
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b string) int {
		kindA, numberA := splitRef(a)
		kindB, numberB := splitRef(b)
		return cmp.Or(cmp.Compare(kindA, kindB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
	})
	return lines
}

// splitRef divides "instance/i-10 node-10" into what comes before the number and the number.
func splitRef(line string) (string, int) {
	ref, _, _ := strings.Cut(line, " ")
	i := strings.LastIndex(ref, "-")
	number, err := strconv.Atoi(ref[i+1:])
	if err != nil {
		return ref, 0
	}
	return ref[:i+1], number
}

func inventoryLine(ref string, r map[string]any) string {
	line := ref
	if host, ok := r["hostname"].(string); ok {
		line += " " + host
	}
	if address, ok := r["address"].(string); ok {
		line += " " + address
	}
	for _, a := range slices.Concat(List(r["addresses"]), List(r["vips"])) {
		line += fmt.Sprintf(" %v", Dig(a, "address"))
	}
	return line
}

// RouteRef names a route as failures do: "route/r-1".
func RouteRef(route any) string { return "route/" + ResourceID(route) }
