package elb

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// check is the health check of a classic load balancer, of which it has one for all of its listeners.
type check struct {
	// Target is kept to the letter: the CCM compares it.
	Target             string `aws:"Target,required"`
	Interval           int    `aws:"Interval,required"`
	Timeout            int    `aws:"Timeout,required"`
	UnhealthyThreshold int    `aws:"UnhealthyThreshold,required"`
	HealthyThreshold   int    `aws:"HealthyThreshold,required"`
}

// firstCheck is that of a new load balancer.
func firstCheck(instancePort int) check {
	return check{Target: "TCP:" + strconv.Itoa(instancePort), Interval: 30, Timeout: 5, UnhealthyThreshold: 2, HealthyThreshold: 10}
}

// checkOf is that of a load balancer. One that was made by another API has the check that a new one would have: without
// any the CCM would end.
func checkOf(lb simcloud.LoadBalancer) check {
	var c check
	if json.Unmarshal([]byte(lb.Labels[labelCheck]), &c) == nil && c.Target != "" {
		return c
	}
	if len(lb.Listeners) > 0 {
		return firstCheck(lb.Listeners[0].TargetPort)
	}
	return firstCheck(1)
}

// core is what the cloud checks. Its thresholds are one number, and what ends in TLS is asked for a connection.
func (c check) core() (*simcloud.HealthCheck, error) {
	protocol, rest, _ := strings.Cut(c.Target, ":")
	digits, path, hasPath := strings.Cut(rest, "/")
	port, err := strconv.Atoi(digits)
	of, known := map[string]simcloud.HealthCheckProtocol{
		"TCP": simcloud.HealthCheckTCP, "SSL": simcloud.HealthCheckTCP, "HTTP": simcloud.HealthCheckHTTP, "HTTPS": simcloud.HealthCheckHTTPS,
	}[strings.ToUpper(protocol)]
	http := of == simcloud.HealthCheckHTTP || of == simcloud.HealthCheckHTTPS
	if err != nil || !known || port < 1 || port > 65535 || http != hasPath {
		return nil, service.Refuse(simcloud.Invalid, "ValidationError",
			"HealthCheck.Target is %.100q: must be a protocol and a port such as TCP:31000, with a path such as HTTP:31000/healthz for HTTP and HTTPS", c.Target)
	}
	if err := c.bounds(); err != nil {
		return nil, err
	}
	made := &simcloud.HealthCheck{
		Protocol: of, Port: port, IntervalSeconds: c.Interval, TimeoutSeconds: c.Timeout, Threshold: c.HealthyThreshold,
	}
	if http {
		made.Path = "/" + path
	}
	return made, nil
}

// bounds checks the numbers as the documents of the service have their bounds.
func (c check) bounds() error {
	for _, n := range []struct {
		name               string
		value, least, most int
	}{
		{"Interval", c.Interval, 5, 300}, {"Timeout", c.Timeout, 2, 60}, {"UnhealthyThreshold", c.UnhealthyThreshold, 2, 10}, {"HealthyThreshold", c.HealthyThreshold, 2, 10},
	} {
		if n.value < n.least || n.value > n.most {
			return service.Refuse(simcloud.Invalid, "ValidationError", "%s is %d: must be between %d and %d", "HealthCheck."+n.name, n.value, n.least, n.most)
		}
	}
	if c.Timeout >= c.Interval {
		return service.Refuse(simcloud.Invalid, "ValidationError", "HealthCheck.Timeout is %d: must be less than the interval, which is %d", c.Timeout, c.Interval)
	}
	return nil
}

type configureCheckRequest struct {
	Name  string `aws:"LoadBalancerName,required"`
	Check *check `aws:"HealthCheck,required"`
}

type checked struct {
	Check check `aws:"HealthCheck"`
}

// configureCheck gives all listeners a check. The cloud changes nothing when it is the one that they have.
func configureCheck(c service.Call, in configureCheckRequest) (out checked, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	out.Check = *in.Check
	made, err := in.Check.core()
	if err != nil {
		return out, nil, err
	}
	if err := eachListener(c, lb, func(config *simcloud.ListenerConfig) { config.HealthCheck = made }); err != nil {
		return out, nil, err
	}
	more := labels{}
	if err := more.putJSON(labelCheck, *in.Check, "HealthCheck"); err != nil {
		return out, nil, err
	}
	meta, err := relabel(c, lb, more)
	return out, meta, err
}

// eachListener changes all listeners of a load balancer.
func eachListener(c service.Call, lb simcloud.LoadBalancer, change func(*simcloud.ListenerConfig)) error {
	for _, l := range lb.Listeners {
		config := l.ListenerConfig
		change(&config)
		if _, err := c.Cloud.UpdateListener(c.Ctx(), lb.ID, l.ID, config); err != nil {
			return fmt.Errorf("listener %s: %w", l.ID, err)
		}
	}
	return nil
}

// relabel gives a load balancer more labels.
func relabel(c service.Call, lb simcloud.LoadBalancer, more labels) (*simcloud.Meta, error) {
	all := more.with(lb.Labels)
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{Labels: &all})
	return &changed.Resource.Meta, err
}
