package config

import (
	"fmt"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// The values that the cloud config and annotations have in common.

// ParseAlgorithm reads how a target is chosen.
func ParseAlgorithm(value string) (simcloud.Algorithm, error) {
	switch a := simcloud.Algorithm(value); a {
	case simcloud.RoundRobin, simcloud.LeastConnections:
		return a, nil
	}
	return "", fmt.Errorf("must be %q or %q", simcloud.RoundRobin, simcloud.LeastConnections)
}

// maxIdleTimeout is generous: what it stops is a slip of the unit.
const maxIdleTimeout = 24 * time.Hour

// ParseIdleTimeout reads how long a connection may be silent, up to a day.
func ParseIdleTimeout(value string) (time.Duration, error) {
	return ParseSeconds(value, maxIdleTimeout)
}

// ParseSeconds takes whole seconds: that is what the cloud counts in.
func ParseSeconds(value string, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > most || d%time.Second != 0 {
		return 0, fmt.Errorf("must be a duration of whole seconds from 1s to %s, such as 90s", most)
	}
	return d, nil
}
