package core

import (
	"net/netip"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// hostname is what the cloud calls the inside of an instance that has its addresses and no hostname of its own.
func (t *txn) hostname(instance simcloud.Instance) string {
	switch t.cloud.config.Load().Hostnames {
	case simcloud.HostnamePrivateDNS:
		if address := privateIPv4(instance); address != "" {
			return "ip-" + strings.ReplaceAll(address, ".", "-") + privateDomain(instance.Region)
		}
		return string(instance.ID) + privateDomain(instance.Region)
	case simcloud.HostnameResourceID:
		return string(instance.ID) + privateDomain(instance.Region)
	default:
		return instance.Name
	}
}

// privateDomain is the one that EC2 gives the instances of a region; the oldest region has another.
func privateDomain(region simcloud.ID) string {
	if region == "us-east-1" {
		return ".ec2.internal"
	}
	return "." + string(region) + ".compute.internal"
}

// privateIPv4 is the first private IPv4 address of an instance; empty when it has none.
func privateIPv4(instance simcloud.Instance) string {
	for _, a := range instance.Addresses {
		if address, err := netip.ParseAddr(a.Address); err == nil && a.Scope == simcloud.ScopePrivate && address.Is4() {
			return a.Address
		}
	}
	return ""
}
