package hcloud

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// serviceBody is a service in a request. What is nil has its default, or keeps its value.
type serviceBody struct {
	Protocol        *string    `json:"protocol"`
	ListenPort      *int       `json:"listen_port"`
	DestinationPort *int       `json:"destination_port"`
	Proxyprotocol   *bool      `json:"proxyprotocol"`
	HTTP            *httpBody  `json:"http"`
	HealthCheck     *checkBody `json:"health_check"`
}

type httpBody struct {
	CookieName     *string  `json:"cookie_name"`
	CookieLifetime *int     `json:"cookie_lifetime"`
	Certificates   *[]int64 `json:"certificates"`
	RedirectHTTP   *bool    `json:"redirect_http"`
	StickySessions *bool    `json:"sticky_sessions"`
	TimeoutIdle    *int     `json:"timeout_idle"`
}

type checkBody struct {
	Protocol *string        `json:"protocol"`
	Port     *int           `json:"port"`
	Interval *int           `json:"interval"`
	Timeout  *int           `json:"timeout"`
	Retries  *int           `json:"retries"`
	HTTP     *checkHTTPBody `json:"http"`
}

type checkHTTPBody struct {
	Domain      *string   `json:"domain"`
	Path        *string   `json:"path"`
	Response    *string   `json:"response"`
	StatusCodes *[]string `json:"status_codes"`
	TLS         *bool     `json:"tls"`
}

func (c call) addService() (edge.Reply, error) {
	body, err := decode[serviceBody](c)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		class, err := c.typeOfNow(ctx, lb)
		if err != nil {
			return loadBalancerResult{}, err
		}
		unsaid, err := c.config.unsaidCheck(ctx)
		if err != nil {
			return loadBalancerResult{}, err
		}
		others := specsOf(lb)
		spec, err := body.added(others, class, unsaid)
		if err != nil {
			return loadBalancerResult{}, err
		}
		if err := c.assignable(ctx, spec, others, class); err != nil {
			return loadBalancerResult{}, err
		}
		return c.cloud.CreateListener(ctx, lb.ID, spec, opts...)
	})
	return c.balanced(result, err)
}

// specsOf are the listeners of a load balancer that Hetzner can have.
func specsOf(lb simcloud.LoadBalancer) []simcloud.ListenerSpec {
	var specs []simcloud.ListenerSpec
	for _, l := range lb.Listeners {
		if hasProtocol(l) {
			specs = append(specs, specOf(l))
		}
	}
	return specs
}

func specOf(l simcloud.Listener) simcloud.ListenerSpec {
	return simcloud.ListenerSpec{Protocol: l.Protocol, Port: l.Port, ListenerConfig: l.ListenerConfig}
}

// added is the service as a listener beside others of a load balancer with that class.
func (b serviceBody) added(others []simcloud.ListenerSpec, class loadBalancerType, unsaid simcloud.HealthCheck) (simcloud.ListenerSpec, error) {
	spec := simcloud.ListenerSpec{}
	if b.Protocol == nil {
		return spec, missing("protocol")
	}
	switch simcloud.Protocol(*b.Protocol) {
	case simcloud.ProtocolHTTP:
		spec.Port, spec.TargetPort = 80, 80
	case simcloud.ProtocolHTTPS:
		spec.Port, spec.TargetPort = 443, 80
	default: // has no defaults
	}
	switch {
	case b.ListenPort == nil && spec.Port == 0:
		return spec, missing("listen_port")
	case b.DestinationPort == nil && spec.TargetPort == 0:
		return spec, missing("destination_port")
	}
	if err := b.applyTo(&spec, unsaid); err != nil {
		return spec, err
	}
	for _, other := range others {
		if other.Port == spec.Port {
			return spec, refuse(simcloud.AlreadyExists, codePortUsed, "the source port %d is used already", spec.Port)
		}
	}
	if len(others) >= class.MaxServices {
		return spec, refuse(simcloud.Capacity, codeLimitExceeded, "a load balancer cannot have more than %d services", class.MaxServices)
	}
	return spec, nil
}

// applyTo changes a listener as far as the service says something.
func (b serviceBody) applyTo(spec *simcloud.ListenerSpec, unsaid simcloud.HealthCheck) error {
	if b.Protocol != nil {
		switch *b.Protocol {
		case "tcp":
			spec.Protocol, spec.Options, spec.IdleTimeoutSeconds, spec.Documents = simcloud.ProtocolTCP, nil, 0, nil
		case "http":
			spec.Protocol, spec.Options, spec.Documents = simcloud.ProtocolHTTP, withoutRedirect(spec.Options), nil
		case "https":
			spec.Protocol = simcloud.ProtocolHTTPS
		default:
			return wrong("protocol", "%q is not allowed: must be one of tcp, http, https", *b.Protocol)
		}
	}
	set(&spec.Port, b.ListenPort)
	set(&spec.TargetPort, b.DestinationPort)
	set(&spec.ProxyProtocol, b.Proxyprotocol)
	if err := b.HTTP.applyTo(spec); err != nil {
		return err
	}
	return b.HealthCheck.applyTo(spec, unsaid)
}

// applyTo changes the settings of HTTP of a listener as far as the request says something.
func (b *httpBody) applyTo(spec *simcloud.ListenerSpec) error {
	switch {
	case b == nil:
		return nil
	case spec.Protocol == simcloud.ProtocolTCP:
		return wrong("http", "may only be set with the protocols http and https")
	case spec.Protocol == simcloud.ProtocolHTTP && b.RedirectHTTP != nil && *b.RedirectHTTP:
		return wrong("http.redirect_http", "may only be set with the protocol https")
	case spec.Protocol == simcloud.ProtocolHTTP && b.Certificates != nil && len(*b.Certificates) > 0:
		return wrong("http.certificates", "may only be set with the protocol https")
	}
	if b.Certificates != nil {
		spec.Documents = each(*b.Certificates, func(n int64) simcloud.ID { return idOf(documentPrefix, n) })
	}
	spec.Options = maps.Clone(spec.Options)
	if spec.Options == nil {
		spec.Options = map[string]string{}
	}
	option(spec.Options, optionCookieName, b.CookieName)
	option(spec.Options, optionCookieLifetime, b.CookieLifetime)
	option(spec.Options, optionStickySessions, b.StickySessions)
	if spec.Protocol == simcloud.ProtocolHTTPS {
		option(spec.Options, optionRedirectHTTP, b.RedirectHTTP)
	}
	set(&spec.IdleTimeoutSeconds, b.TimeoutIdle)
	return nil
}

// withoutRedirect are options of a service that redirects nothing.
func withoutRedirect(options map[string]string) map[string]string {
	options = maps.Clone(options)
	delete(options, optionRedirectHTTP)
	return options
}

// option sets an option when a request says something of it.
func option[T any](options map[string]string, name string, value *T) {
	if value != nil {
		options[name] = fmt.Sprint(*value)
	}
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// applyTo changes the health check of a listener as far as the request says something.
func (b *checkBody) applyTo(spec *simcloud.ListenerSpec, unsaid simcloud.HealthCheck) error {
	unsaid.Port = spec.TargetPort
	check := &unsaid
	if spec.HealthCheck != nil {
		*check = *spec.HealthCheck
	}
	spec.HealthCheck = check
	if b == nil {
		return nil
	}
	if b.Protocol != nil {
		switch *b.Protocol {
		case "tcp":
			*check = simcloud.HealthCheck{
				Protocol: simcloud.HealthCheckTCP, Port: check.Port,
				IntervalSeconds: check.IntervalSeconds, TimeoutSeconds: check.TimeoutSeconds, Threshold: check.Threshold,
			}
		case "http":
			if check.Protocol == simcloud.HealthCheckTCP {
				check.Protocol, check.Path = simcloud.HealthCheckHTTP, "/"
			}
		default:
			return wrong("health_check.protocol", "%q is not allowed: must be one of tcp, http", *b.Protocol)
		}
	}
	set(&check.Port, b.Port)
	set(&check.IntervalSeconds, b.Interval)
	set(&check.TimeoutSeconds, b.Timeout)
	set(&check.Threshold, b.Retries)
	return b.HTTP.applyTo(check)
}

// applyTo changes what an HTTP health check asks for. One with TLS has a protocol of its own in the cloud.
func (b *checkHTTPBody) applyTo(check *simcloud.HealthCheck) error {
	switch {
	case b == nil:
		return nil
	case check.Protocol == simcloud.HealthCheckTCP:
		return wrong("health_check.http", "may only be set with the protocol http")
	}
	set(&check.Domain, b.Domain)
	set(&check.Path, b.Path)
	set(&check.Response, b.Response)
	set(&check.StatusCodes, b.StatusCodes)
	switch {
	case b.TLS == nil:
	case *b.TLS:
		check.Protocol = simcloud.HealthCheckHTTPS
	default:
		check.Protocol = simcloud.HealthCheckHTTP
	}
	return nil
}

func (c call) updateService() (edge.Reply, error) {
	body, err := decode[serviceBody](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.ListenPort == nil {
		return edge.Reply{}, missing("listen_port")
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		listener, ok := listenerAt(lb, *body.ListenPort)
		if !ok {
			return loadBalancerResult{}, noService(*body.ListenPort)
		}
		unsaid, err := c.config.unsaidCheck(ctx)
		if err != nil {
			return loadBalancerResult{}, err
		}
		spec := specOf(listener)
		if err := body.applyTo(&spec, unsaid); err != nil {
			return loadBalancerResult{}, err
		}
		others := slices.DeleteFunc(specsOf(lb), func(other simcloud.ListenerSpec) bool { return other.Port == spec.Port })
		class, err := c.typeOfNow(ctx, lb)
		if err != nil {
			return loadBalancerResult{}, err
		}
		if err := c.assignable(ctx, spec, others, class); err != nil {
			return loadBalancerResult{}, err
		}
		return c.replace(ctx, lb, listener, spec, opts...)
	})
	return c.balanced(result, err)
}

// replace changes a listener, or puts another in its place when its protocol changes.
func (c call) replace(
	ctx context.Context, lb simcloud.LoadBalancer, listener simcloud.Listener, spec simcloud.ListenerSpec, opts ...simcloud.CallOption,
) (loadBalancerResult, error) {
	if spec.Protocol == listener.Protocol {
		return c.cloud.UpdateListener(ctx, lb.ID, listener.ID, spec.ListenerConfig, opts...)
	}
	if result, err := c.cloud.DeleteListener(ctx, lb.ID, listener.ID, opts...); err != nil {
		return result, err
	}
	return c.cloud.CreateListener(ctx, lb.ID, spec)
}

func noService(port int) error {
	return simcloud.Errorf(simcloud.NotFound, "", "service with listen port %d not found", port)
}

func (c call) deleteService() (edge.Reply, error) {
	body, err := decode[struct {
		ListenPort *int `json:"listen_port"`
	}](c)
	if err != nil {
		return edge.Reply{}, err
	}
	if body.ListenPort == nil {
		return edge.Reply{}, missing("listen_port")
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		listener, ok := listenerAt(lb, *body.ListenPort)
		if !ok {
			return loadBalancerResult{}, noService(*body.ListenPort)
		}
		return c.cloud.DeleteListener(ctx, lb.ID, listener.ID, opts...)
	})
	return c.balanced(result, err)
}
