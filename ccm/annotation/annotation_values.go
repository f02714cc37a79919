package annotation

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The parsers of annotations' values, except for those that the cloud config has, too. Their errors say what would be right.

func parseBool(value string) (bool, error) {
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf(`must be "true" or "false"`)
}

func parseIPMode(value string) (v1.LoadBalancerIPMode, error) {
	switch mode := v1.LoadBalancerIPMode(value); mode {
	case v1.LoadBalancerIPModeVIP, v1.LoadBalancerIPModeProxy:
		return mode, nil
	}
	return "", fmt.Errorf("must be %q or %q", v1.LoadBalancerIPModeVIP, v1.LoadBalancerIPModeProxy)
}

// maxHealthInterval is the longest useful wait for a dead target.
const maxHealthInterval = 5 * time.Minute

func parseHealthTime(value string) (time.Duration, error) {
	return config.ParseSeconds(value, maxHealthInterval)
}

const maxHealthThreshold = 10

func parseThreshold(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxHealthThreshold {
		return 0, fmt.Errorf("must be a number from 1 to %d", maxHealthThreshold)
	}
	return n, nil
}

func parsePort(value string) (int32, error) {
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("must be the number of a port, such as 8080")
	}
	return int32(n), nil
}

func parsePath(value string) (string, error) {
	if !strings.HasPrefix(value, "/") || strings.ContainsAny(value, " \t\r\n") {
		return "", fmt.Errorf("must be a path such as /ready")
	}
	return value, nil
}

func parseAddresses(value string) ([]netip.Addr, error) {
	var all []netip.Addr
	for _, part := range parts(value) {
		address, err := netip.ParseAddr(part)
		if err != nil || address.Zone() != "" {
			return nil, fmt.Errorf("must be addresses separated by commas, such as 127.77.0.9,fd77::9")
		}
		all = append(all, address.Unmap())
	}
	return all, nil
}

func parseFloatingIPs(value string) ([]simcloud.ID, error) {
	var all []simcloud.ID
	for _, part := range parts(value) {
		if part == "" {
			return nil, fmt.Errorf("must be ids of floating IPs separated by commas, such as fip-3,fip-4")
		}
		all = append(all, simcloud.ID(part))
	}
	return all, nil
}

// parts splits at commas.
func parts(value string) []string {
	all := strings.Split(value, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

func parseBalancerID(value string) (simcloud.ID, error) {
	if value == "" || strings.ContainsAny(value, " ,/") {
		return "", fmt.Errorf("must be the id of one load balancer, such as lb-3")
	}
	return simcloud.ID(value), nil
}

// ParseShare takes a word that can be the value of a label, and chosen by it.
func ParseShare(value string) (string, error) {
	if len(validation.IsDNS1123Label(value)) > 0 {
		return "", fmt.Errorf("must be at most 63 lower case letters and digits, with - between them")
	}
	return value, nil
}
