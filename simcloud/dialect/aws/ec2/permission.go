package ec2

import (
	"net/netip"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// permission is what EC2 shows of the rules of a group that have the same protocol and ports.
type permission struct {
	Protocol string `aws:"ipProtocol"`
	// From and To are absent where the protocol is all of them.
	From        *int        `aws:"fromPort"`
	To          *int        `aws:"toPort"`
	Groups      []groupPair `aws:"groups"`
	Ranges      []ipRange   `aws:"ipRanges"`
	Ranges6     []ipv6Range `aws:"ipv6Ranges"`
	PrefixLists []struct{}  `aws:"prefixListIds"`
}

// groupPair is a group that a permission is for.
type groupPair struct {
	ID          string `aws:"groupId"`
	UserID      string `aws:"userId"`
	Description string `aws:"description"`
}

type ipRange struct {
	CIDR        string `aws:"cidrIp"`
	Description string `aws:"description"`
}

type ipv6Range struct {
	CIDR        string `aws:"cidrIpv6"`
	Description string `aws:"description"`
}

// The protocols that EC2 has other words for than the cloud.
const (
	allProtocols = "-1"
	protocolTCP  = "tcp"
	protocolUDP  = "udp"
	protocolICMP = "icmp"
	icmpOfIPv6   = "icmpv6"
)

// permissionsOf merges the rules of a group for one direction: those of one protocol and the same
// ports are one permission.
func permissionsOf(g simcloud.SecurityGroup, direction simcloud.Direction) []permission {
	type key struct {
		protocol string
		from, to int
	}
	at := map[key]int{}
	all := []permission{}
	for _, rule := range g.Rules {
		r := rule.Traffic()
		if r.Direction != direction {
			continue
		}
		k := key{protocolOf(r), r.FromPort, r.ToPort}
		i, merged := at[k]
		if !merged {
			i = len(all)
			at[k], all = i, append(all, permission{Protocol: k.protocol})
			if r.Protocol != simcloud.RuleAny {
				all[i].From, all[i].To = &r.FromPort, &r.ToPort
			}
		}
		all[i].add(rule.SecurityGroupRuleSpec, service.Account(g.Project))
	}
	return all
}

// protocolOf is EC2's word for the protocol of a rule. It tells the two editions of ICMP apart, the cloud does not.
func protocolOf(r simcloud.SecurityGroupRuleSpec) string {
	switch {
	case r.Protocol == simcloud.RuleAny:
		return allProtocols
	case r.Protocol == simcloud.RuleICMP && isIPv6(r.CIDR):
		return icmpOfIPv6
	default:
		return string(r.Protocol)
	}
}

func isIPv6(cidr string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	return err == nil && prefix.Addr().Is6()
}

// add adds to a permission what a rule is for.
func (p *permission) add(r simcloud.SecurityGroupRuleSpec, account string) {
	switch {
	case r.Group != "":
		p.Groups = append(p.Groups, groupPair{string(r.Group), account, r.Description})
	case isIPv6(r.CIDR):
		p.Ranges6 = append(p.Ranges6, ipv6Range{r.CIDR, r.Description})
	default:
		p.Ranges = append(p.Ranges, ipRange{r.CIDR, r.Description})
	}
}

// What filters find in a permission.

func (p permission) protocol() []string { return []string{p.Protocol} }
func (p permission) from() []string     { return digits(p.From) }
func (p permission) to() []string       { return digits(p.To) }

func (p permission) ranges() []string {
	return texts(p.Ranges, func(r ipRange) string { return r.CIDR })
}

func (p permission) ranges6() []string {
	return texts(p.Ranges6, func(r ipv6Range) string { return r.CIDR })
}

func (p permission) groups() []string {
	return texts(p.Groups, func(g groupPair) string { return g.ID })
}

func texts[T any](items []T, text func(T) string) []string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = text(item)
	}
	return all
}

func digits(n *int) []string {
	if n == nil {
		return nil
	}
	return []string{strconv.Itoa(*n)}
}
