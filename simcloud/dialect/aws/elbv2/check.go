package elbv2

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// check is the health check of a target group; in a request what it sets of it. Protocol and port have names of their own,
// since requests and answers have others beside them.
type check struct {
	Enabled   *bool  `aws:"HealthCheckEnabled"`
	By        string `aws:"HealthCheckProtocol"`
	At        string `aws:"HealthCheckPort"`
	Path      string `aws:"HealthCheckPath"`
	Interval  *int   `aws:"HealthCheckIntervalSeconds"`
	Timeout   *int   `aws:"HealthCheckTimeoutSeconds"`
	Healthy   *int   `aws:"HealthyThresholdCount"`
	Unhealthy *int   `aws:"UnhealthyThresholdCount"`
}

// portOfTarget is the port of a check that asks each target at its own.
const portOfTarget = "traffic-port"

// optionUnhealthy is the option of a target group that has a threshold of which the cloud has only the other.
const optionUnhealthy = "unhealthy-threshold"

// firstCheck is that of a new group, if the request sets nothing of it.
func firstCheck(protocol string) check {
	seconds := map[bool]int{true: 6, false: 10}
	c := check{
		Enabled: new(true), By: cmp.Or(protocol, "TCP"), At: portOfTarget, Interval: new(30), Timeout: new(seconds[protocol == "HTTP"]), Healthy: new(5), Unhealthy: new(2),
	}
	if c.web() {
		c.Path = "/"
	}
	return c
}

// web is whether the check asks by HTTP or HTTPS.
func (c check) web() bool { return c.By == "HTTP" || c.By == "HTTPS" }

// checkOf is that of a target group. One that another API has made without any has the first one.
func checkOf(g simcloud.TargetGroup) check {
	has := g.HealthCheck
	if has == nil {
		return firstCheck("")
	}
	c := check{
		Enabled: new(true), By: strings.ToUpper(string(has.Protocol)), At: portOfTarget, Path: has.Path, Interval: &has.IntervalSeconds,
		Timeout: &has.TimeoutSeconds, Healthy: &has.Threshold, Unhealthy: &has.Threshold,
	}
	if has.Port != 0 {
		c.At = strconv.Itoa(has.Port)
	}
	if n, err := strconv.Atoi(g.Options[optionUnhealthy]); err == nil {
		c.Unhealthy = &n
	}
	return c
}

// with returns the check with what a request sets of it. A path goes with its protocol.
func (c check) with(change check) check {
	c.Enabled, c.Interval, c.Timeout = cmp.Or(change.Enabled, c.Enabled), cmp.Or(change.Interval, c.Interval), cmp.Or(change.Timeout, c.Timeout)
	c.Healthy, c.Unhealthy = cmp.Or(change.Healthy, c.Healthy), cmp.Or(change.Unhealthy, c.Unhealthy)
	c.At = cmp.Or(change.At, c.At)
	was := c.web()
	c.By = cmp.Or(change.By, c.By)
	switch {
	case change.Path != "":
		c.Path = change.Path
	case !c.web():
		c.Path = ""
	case !was:
		c.Path = "/"
	}
	return c
}

// core is what the cloud checks. It has one of the two thresholds.
func (c check) core() (*simcloud.HealthCheck, error) {
	protocol, known := map[string]simcloud.HealthCheckProtocol{
		"TCP": simcloud.HealthCheckTCP, "HTTP": simcloud.HealthCheckHTTP, "HTTPS": simcloud.HealthCheckHTTPS,
	}[c.By]
	port := 0
	if c.At != portOfTarget {
		var err error
		if port, err = strconv.Atoi(c.At); err != nil || port < 1 || port > 65535 {
			return nil, service.Refuse(simcloud.Invalid, "ValidationError", "HealthCheckPort is %.40q: must be a port between 1 and 65535, or %s", c.At, portOfTarget)
		}
	}
	switch {
	case !known:
		return nil, service.Refuse(simcloud.Invalid, "ValidationError", "HealthCheckProtocol is %.40q: must be TCP, HTTP or HTTPS", c.By)
	case !*c.Enabled:
		return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "HealthCheckEnabled is false: must be true for targets that are instances")
	case !c.web() && c.Path != "":
		return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "HealthCheckPath is %.100q: health checks by TCP have none", c.Path)
	}
	if err := c.bounds(); err != nil {
		return nil, err
	}
	return &simcloud.HealthCheck{
		Protocol: protocol, Port: port, Path: c.Path, IntervalSeconds: *c.Interval, TimeoutSeconds: *c.Timeout, Threshold: *c.Healthy,
	}, nil
}

// bounds checks the numbers as the documents of the service have their bounds.
func (c check) bounds() error {
	for _, n := range []struct {
		name               string
		value, least, most int
	}{
		{"HealthCheckIntervalSeconds", *c.Interval, 5, 300}, {"HealthCheckTimeoutSeconds", *c.Timeout, 2, 120},
		{"HealthyThresholdCount", *c.Healthy, 2, 10}, {"UnhealthyThresholdCount", *c.Unhealthy, 2, 10},
	} {
		if n.value < n.least || n.value > n.most {
			return service.Refuse(simcloud.Invalid, "ValidationError", "%s is %d: must be between %d and %d", n.name, n.value, n.least, n.most)
		}
	}
	if *c.Timeout > *c.Interval {
		return service.Refuse(simcloud.Invalid, "ValidationError", "HealthCheckTimeoutSeconds is %d: must not be more than the interval, which is %d", *c.Timeout, *c.Interval)
	}
	return nil
}

// keep puts the threshold that the cloud does not have into the options of a target group.
func (c check) keep(options map[string]string) { options[optionUnhealthy] = strconv.Itoa(*c.Unhealthy) }
