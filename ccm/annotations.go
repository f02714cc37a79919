package ccm

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// AnnotationPrefix begins all annotations of this provider. One of a Service
// that begins so and is not below is an error: a misspelt "internal" must not
// open a Service to the world.
const AnnotationPrefix = "service.simcloud.dev/"

// The annotations of a Service of type LoadBalancer.
const (
	// AnnotationInternal, "true" or "false": whether the load balancer gets an
	// address of the network instead of a floating IP. Changing it replaces the load balancer.
	AnnotationInternal = AnnotationPrefix + "internal"
	// AnnotationAlgorithm, "round_robin" or "least_connections": how a target is chosen.
	AnnotationAlgorithm = AnnotationPrefix + "algorithm"
	// AnnotationProxyProtocol, "true" or "false": whether TCP listeners tell
	// the targets who connects, by the PROXY protocol.
	AnnotationProxyProtocol = AnnotationPrefix + "proxy-protocol"
	// AnnotationIdleTimeout, a duration such as "90s": how long a connection may be silent.
	AnnotationIdleTimeout = AnnotationPrefix + "idle-timeout"
)

// annotationError is a wrong annotation: what the Event of the Service says.
type annotationError struct{ annotation, value, right string }

func (e *annotationError) Error() string {
	return fmt.Sprintf("annotation %s: %q is wrong: %s", e.annotation, e.value, e.right)
}

// annotated returns the defaults with what the annotations of svc say over them.
func annotated(svc *v1.Service, d LoadBalancerDefaults) (LoadBalancerDefaults, error) {
	parsers := map[string]func(string) error{
		AnnotationInternal:      into(&d.Internal, parseBool),
		AnnotationAlgorithm:     into(&d.Algorithm, parseAlgorithm),
		AnnotationProxyProtocol: into(&d.ProxyProtocol, parseBool),
		AnnotationIdleTimeout:   into(&d.IdleTimeout, parseIdleTimeout),
	}
	for _, name := range sortedKeys(svc.Annotations) {
		if !strings.HasPrefix(name, AnnotationPrefix) {
			continue
		}
		parse, known := parsers[name]
		if !known {
			return d, &annotationError{name, svc.Annotations[name],
				"there is no such annotation; there are " + strings.Join(sortedKeys(parsers), ", ")}
		}
		if err := parse(svc.Annotations[name]); err != nil {
			return d, &annotationError{name, svc.Annotations[name], err.Error()}
		}
	}
	return d, nil
}

func into[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		*to, err = parse(value)
		return err
	}
}

// The parsers' errors say what would be right.

func parseBool(value string) (bool, error) {
	switch value {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf(`"true" or "false" is right`)
}

func parseAlgorithm(value string) (simcloud.Algorithm, error) {
	switch a := simcloud.Algorithm(value); a {
	case simcloud.RoundRobin, simcloud.LeastConnections:
		return a, nil
	}
	return "", fmt.Errorf("%q or %q is right", simcloud.RoundRobin, simcloud.LeastConnections)
}

// maxIdleTimeout is generous: what it stops is a slip of the unit.
const maxIdleTimeout = 24 * time.Hour

func parseIdleTimeout(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > maxIdleTimeout || d%time.Second != 0 {
		return 0, fmt.Errorf("a duration of whole seconds from 1s to %s, such as 90s, is right", maxIdleTimeout)
	}
	return d, nil
}
