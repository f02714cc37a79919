package lb

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/annotation"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The health check says its times, which are the cloud's defaults, so that
// what is read back can be compared.
const (
	defaultHealthInterval  = 5 * time.Second
	defaultHealthTimeout   = 3 * time.Second
	defaultHealthThreshold = 3
	// kubeProxyHealthPath is answered by kube-proxy on the healthCheckNodePort.
	kubeProxyHealthPath = "/healthz"
)

// checks are the health checks of a Service's listeners.
type checks struct {
	times simcloud.HealthCheck
	path  string // empty: whether it accepts connections
	// port is the one to ask for all listeners. 0: each listener's own, and udp
	// for those that cannot be asked. udp is 0 where nothing can answer for them.
	port, udp int32
}

// healthChecks asks kube-proxy whether a node has endpoints under
// externalTrafficPolicy Local; otherwise any node that listens will do, unless
// the Service says what to ask. UDP cannot be asked: there a TCP port of the
// same Service stands in, if any.
func healthChecks(svc *v1.Service, annotations annotation.HealthSettings) (c checks, err error) {
	if c.times, err = healthTimes(annotations); err != nil {
		return c, err
	}
	if svc.Spec.ExternalTrafficPolicy == v1.ServiceExternalTrafficPolicyLocal && svc.Spec.HealthCheckNodePort != 0 {
		if annotations.Path != "" || annotations.Port != 0 {
			return c, fmt.Errorf("annotations %s and %s: with externalTrafficPolicy Local kube-proxy is asked, which knows the node's endpoints: leave them out",
				annotation.HealthCheckPath, annotation.HealthCheckPort)
		}
		c.path, c.port = kubeProxyHealthPath, svc.Spec.HealthCheckNodePort
		return c, nil
	}
	c.path = annotations.Path
	isTCP := func(p v1.ServicePort) bool { return p.Protocol == v1.ProtocolTCP || p.Protocol == "" }
	if annotations.Port != 0 {
		i := slices.IndexFunc(svc.Spec.Ports, func(p v1.ServicePort) bool { return isTCP(p) && p.Port == annotations.Port })
		if i < 0 {
			return c, fmt.Errorf("annotation %s: %d is not a TCP port of the Service", annotation.HealthCheckPort, annotations.Port)
		}
		c.port = svc.Spec.Ports[i].NodePort
	} else if i := slices.IndexFunc(svc.Spec.Ports, isTCP); i >= 0 {
		c.udp = svc.Spec.Ports[i].NodePort
	}
	return c, nil
}

// of is the health check of the listener for a port, nil for none.
func (c checks) of(port v1.ServicePort) *simcloud.HealthCheck {
	check := c.times
	switch {
	case c.port != 0:
		check.Port = int(c.port)
	case port.Protocol == v1.ProtocolUDP && c.udp == 0:
		return nil
	case port.Protocol == v1.ProtocolUDP:
		check.Port = int(c.udp)
	default:
		check.Port = int(port.NodePort)
	}
	check.Protocol = simcloud.HealthCheckTCP
	if c.path != "" {
		check.Protocol, check.Path = simcloud.HealthCheckHTTP, c.path
	}
	return &check
}

func healthTimes(annotations annotation.HealthSettings) (simcloud.HealthCheck, error) {
	interval, timeout, threshold := defaultHealthInterval, annotations.Timeout, defaultHealthThreshold
	if annotations.Interval != 0 {
		interval = annotations.Interval
	}
	if timeout > interval {
		return simcloud.HealthCheck{}, fmt.Errorf("annotation %s: %s is longer than the interval, which is %s", annotation.HealthCheckTimeout, timeout, interval)
	}
	if timeout == 0 {
		timeout = min(defaultHealthTimeout, interval)
	}
	if annotations.Threshold != 0 {
		threshold = annotations.Threshold
	}
	return simcloud.HealthCheck{IntervalSeconds: seconds(interval), TimeoutSeconds: seconds(timeout), Threshold: threshold}, nil
}
