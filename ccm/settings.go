package ccm

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// settings are what the annotations of a Service say, over the cloud config.
type settings struct {
	LoadBalancerDefaults
	IPMode      v1.LoadBalancerIPMode // empty: follows from the rest
	Addresses   []netip.Addr
	FloatingIPs []simcloud.ID
	Health      healthSettings
	Share       string
	Balancer    simcloud.ID
}

// healthSettings are what can be said of the health checks; zero values are the defaults.
type healthSettings struct {
	Path              string
	Port              int32 // of the Service
	Interval, Timeout time.Duration
	Threshold         int
}

// parsers are the annotations there are, and what takes their values.
func (s *settings) parsers() map[string]func(value string) error {
	return map[string]func(string) error{
		AnnotationInternal:             into(&s.Internal, parseBool),
		AnnotationAlgorithm:            into(&s.Algorithm, parseAlgorithm),
		AnnotationProxyProtocol:        into(&s.ProxyProtocol, parseBool),
		AnnotationIdleTimeout:          into(&s.IdleTimeout, parseIdleTimeout),
		AnnotationIPMode:               into(&s.IPMode, parseIPMode),
		AnnotationAddresses:            into(&s.Addresses, parseAddresses),
		AnnotationFloatingIPs:          into(&s.FloatingIPs, parseFloatingIPs),
		AnnotationHealthCheckPath:      into(&s.Health.Path, parsePath),
		AnnotationHealthCheckPort:      into(&s.Health.Port, parsePort),
		AnnotationHealthCheckInterval:  into(&s.Health.Interval, parseHealthTime),
		AnnotationHealthCheckTimeout:   into(&s.Health.Timeout, parseHealthTime),
		AnnotationHealthCheckThreshold: into(&s.Health.Threshold, parseThreshold),
		AnnotationLoadBalancerID:       into(&s.Balancer, parseBalancerID),
		AnnotationShare:                into(&s.Share, parseShare),
	}
}

func into[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		*to, err = parse(value)
		return err
	}
}

// annotationNames are the annotations that a Service may have, sorted.
func annotationNames() []string { return slices.Sorted(maps.Keys((&settings{}).parsers())) }

// annotationError is a wrong annotation: what the Event of the Service says.
type annotationError struct{ annotation, value, right string }

func (e *annotationError) Error() string {
	return fmt.Sprintf("annotation %s: %q is wrong: %s", e.annotation, e.value, e.right)
}

// annotated returns the defaults with what the annotations of svc say over them.
func annotated(svc *v1.Service, d LoadBalancerDefaults) (settings, error) {
	s := settings{LoadBalancerDefaults: d}
	parsers := s.parsers()
	for _, name := range slices.Sorted(maps.Keys(svc.Annotations)) {
		if !strings.HasPrefix(name, AnnotationPrefix) {
			continue
		}
		parse, known := parsers[name]
		if !known {
			return s, &annotationError{name, svc.Annotations[name],
				"there is no such annotation; there are " + strings.Join(annotationNames(), ", ")}
		}
		if err := parse(svc.Annotations[name]); err != nil {
			return s, &annotationError{name, svc.Annotations[name], err.Error()}
		}
	}
	return s, nil
}
