package neutron

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// The options of an instance that are of its ports. Behind them stand a dot and the number of the port's network.
const (
	optionPairs = "allowed-address-pairs"
	optionTags  = "port-tags"
)

// portOption is the name of an option of the port in a network.
func portOption(option string, network simcloud.ID) string {
	return option + "." + strconv.FormatUint(service.NumberOf(network), 10)
}

// withOption returns the options of an instance with another list as one of those of a port.
func withOption(options map[string]string, option string, network simcloud.ID, list []string) map[string]string {
	kept := maps.Clone(options)
	if kept == nil {
		kept = map[string]string{}
	}
	kept[portOption(option, network)] = strings.Join(list, ",")
	if len(list) == 0 {
		delete(kept, portOption(option, network))
	}
	return kept
}

// listOption reads what withOption has kept; never null.
func listOption(options map[string]string, option string, network simcloud.ID) []string {
	text := options[portOption(option, network)]
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// portTags are the tags of the port in a network.
func portTags(options map[string]string, network simcloud.ID) []string {
	return listOption(options, optionTags, network)
}

// pairMark stands between the range of a pair and its hardware address, where that is not the port's own.
const pairMark = "@"

// portPairs are the pairs of the port in a network, which has a hardware address.
func portPairs(options map[string]string, network simcloud.ID, mac string) []addressPair {
	pairs := []addressPair{}
	for _, text := range listOption(options, optionPairs, network) {
		address, own, found := strings.Cut(text, pairMark)
		if !found {
			own = mac
		}
		pairs = append(pairs, addressPair{address, own})
	}
	return pairs
}

// keptPairs are pairs as the option has them.
func keptPairs(pairs []addressPair, mac string) []string {
	var list []string
	for _, pair := range pairs {
		text := pair.IPAddress
		if pair.MACAddress != mac {
			text += pairMark + pair.MACAddress
		}
		list = append(list, text)
	}
	return slices.Clip(list)
}
