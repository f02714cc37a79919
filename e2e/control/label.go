package control

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// The labels of an instance that say which machine it is, and which Node.
const (
	// LabelNode says what runs on the instance: a kubelet when there is no
	// such label, "none" or "light".
	LabelNode = simcloud.LabelNode
	// LabelNodeName names the Node of a hollow node, when it is not the hostname.
	LabelNodeName = "sim.simcloud.dev/node-name"
	// LabelNodeIP is the address, or two separated by a comma, that a kubelet or a hollow
	// node was told with --node-ip: it becomes the annotation alpha.kubernetes.io/provided-node-ip.
	LabelNodeIP = "sim.simcloud.dev/node-ip"
	// LabelProviderID is the providerID that a hollow node registers with.
	LabelProviderID = "sim.simcloud.dev/provider-id"
	// LabelPodCIDRs are the pod CIDRs that a hollow node registers with, separated
	// by commas: for both families, or for one that another node had.
	LabelPodCIDRs = "sim.simcloud.dev/pod-cidrs"
	// LabelInitialized, "true", lets a hollow node register without the taint that waits for a CCM.
	LabelInitialized = "sim.simcloud.dev/initialized"
)

// labelPrefix begins the labels that are simcloud's.
const labelPrefix = "sim.simcloud.dev/"

// otherLabels are those of simcloud that say nothing of a machine.
var otherLabels = []string{labelPrefix + "fault", labelPrefix + "control-plane", labelPrefix + "machine", labelPrefix + "run"}

// machineLabels are the labels of a machine, with whether a real kubelet heeds them too, and what their values can be.
var machineLabels = map[string]struct {
	real  bool
	value func(string) string
}{
	LabelNode:        {true, oneOf(simcloud.NodeNone, simcloud.NodeLight)},
	LabelNodeIP:      {true, addresses},
	LabelNodeName:    {false, anything},
	LabelProviderID:  {false, anything},
	LabelPodCIDRs:    {false, ranges},
	LabelInitialized: {false, oneOf("true", "false")},
}

// MachineLabels are the labels that say which machine an instance is, sorted.
func MachineLabels() []string { return slices.Sorted(maps.Keys(machineLabels)) }

// LabelMistake is what is wrong with a label.
type LabelMistake struct{ Label, Said string }

func (m LabelMistake) Error() string { return "label " + m.Label + ": " + m.Said }

// LabelMistakes are what is wrong with an instance's labels of simcloud, sorted by label: one that does not exist, one that has no effect
// on a machine of this kind, or a value that is not understood. A value that has "${" in it is not known yet.
func LabelMistakes(labels map[string]string) []LabelMistake {
	var mistakes []LabelMistake
	wrong := func(label, format string, args ...any) {
		mistakes = append(mistakes, LabelMistake{label, fmt.Sprintf(format, args...)})
	}
	kind, open := labels[LabelNode], strings.Contains(labels[LabelNode], "${")
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		of, known := machineLabels[key]
		switch {
		case !strings.HasPrefix(key, labelPrefix) || slices.Contains(otherLabels, key):
		case !known:
			wrong(key, "simcloud has no such label%s", suggest(key))
		case !open && kind == simcloud.NodeNone && key != LabelNode:
			wrong(key, "the label has no effect on a machine without a node (%s: %s)", LabelNode, simcloud.NodeNone)
		case !open && kind != simcloud.NodeLight && !of.real:
			wrong(key, "the label has no effect on a real kubelet: must go with %s: %s", LabelNode, simcloud.NodeLight)
		case !strings.Contains(value, "${") && of.value(value) != "":
			wrong(key, "invalid value %q: must be %s", value, of.value(value))
		}
	}
	return mistakes
}

func suggest(key string) string {
	if meant := spelling.Nearest(key, MachineLabels()); meant != "" {
		return fmt.Sprintf(" (%q?)", meant)
	}
	return ": must be one of " + strings.Join(MachineLabels(), ", ")
}

// anything takes every value. As the others it returns what a value must be, and "" for one that is.
func anything(string) string { return "" }

func oneOf(values ...string) func(string) string {
	return func(value string) string {
		if slices.Contains(values, value) {
			return ""
		}
		return strings.Join(values, " or ")
	}
}

func addresses(value string) string {
	all := strings.Split(value, ",")
	if len(all) > 2 || slices.ContainsFunc(all, func(text string) bool { _, err := netip.ParseAddr(text); return err != nil }) {
		return "an IP address, or one of each family with a comma between them"
	}
	return ""
}

func ranges(value string) string {
	if slices.ContainsFunc(strings.Split(value, ","), func(text string) bool { _, err := netip.ParsePrefix(text); return err != nil }) {
		return "a range such as 10.244.9.0/24, or several with commas between them"
	}
	return ""
}
