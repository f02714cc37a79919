package annotation

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Settings are what the annotations of a Service say, over the cloud config.
type Settings struct {
	config.LoadBalancer
	IPMode      v1.LoadBalancerIPMode // empty: follows from the rest
	Addresses   []netip.Addr
	FloatingIPs []simcloud.ID
	Health      HealthSettings
	Share       string
	Balancer    simcloud.ID
}

// HealthSettings are what can be said of the health checks; zero values are the defaults.
type HealthSettings struct {
	Path              string
	Port              int32 // of the Service
	Interval, Timeout time.Duration
	Threshold         int
}

// parsers are the annotations there are, and what takes their values.
func (s *Settings) parsers() map[string]func(value string) error {
	return map[string]func(string) error{
		Internal:             into(&s.Internal, parseBool),
		Algorithm:            into(&s.Algorithm, config.ParseAlgorithm),
		ProxyProtocol:        into(&s.ProxyProtocol, parseBool),
		IdleTimeout:          into(&s.IdleTimeout, config.ParseIdleTimeout),
		IPMode:               into(&s.IPMode, parseIPMode),
		Addresses:            into(&s.Addresses, parseAddresses),
		FloatingIPs:          into(&s.FloatingIPs, parseFloatingIPs),
		HealthCheckPath:      into(&s.Health.Path, parsePath),
		HealthCheckPort:      into(&s.Health.Port, parsePort),
		HealthCheckInterval:  into(&s.Health.Interval, parseHealthTime),
		HealthCheckTimeout:   into(&s.Health.Timeout, parseHealthTime),
		HealthCheckThreshold: into(&s.Health.Threshold, parseThreshold),
		LoadBalancerID:       into(&s.Balancer, parseBalancerID),
		Share:                into(&s.Share, ParseShare),
	}
}

func into[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(value string) (err error) {
		*to, err = parse(value)
		return err
	}
}

// Names are the annotations that a Service may have, sorted.
func Names() []string { return slices.Sorted(maps.Keys((&Settings{}).parsers())) }

// annotationError is a wrong annotation: what the Event of the Service says.
type annotationError struct{ annotation, value, right string }

func (e *annotationError) Error() string {
	return fmt.Sprintf("annotation %s: invalid value %q: %s", e.annotation, e.value, e.right)
}

// Parse returns the defaults with what the annotations of svc say over them.
func Parse(svc *v1.Service, d config.LoadBalancer) (Settings, error) {
	s := Settings{LoadBalancer: d}
	parsers := s.parsers()
	for _, name := range slices.Sorted(maps.Keys(svc.Annotations)) {
		if !strings.HasPrefix(name, Prefix) {
			continue
		}
		parse, known := parsers[name]
		if !known {
			return s, &annotationError{name, svc.Annotations[name],
				"unknown annotation; known annotations: " + strings.Join(Names(), ", ")}
		}
		if err := parse(svc.Annotations[name]); err != nil {
			return s, &annotationError{name, svc.Annotations[name], err.Error()}
		}
	}
	return s, nil
}
