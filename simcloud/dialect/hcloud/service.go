package hcloud

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// service is a listener of the cloud, of those whose protocol Hetzner has.
type service struct {
	Protocol        string       `json:"protocol"`
	ListenPort      int          `json:"listen_port"`
	DestinationPort int          `json:"destination_port"`
	Proxyprotocol   bool         `json:"proxyprotocol"`
	HTTP            *serviceHTTP `json:"http"`
	HealthCheck     healthCheck  `json:"health_check"`
}

type serviceHTTP struct {
	CookieName     string  `json:"cookie_name"`
	CookieLifetime int     `json:"cookie_lifetime"` // seconds
	Certificates   []int64 `json:"certificates"`
	RedirectHTTP   bool    `json:"redirect_http"`
	StickySessions bool    `json:"sticky_sessions"`
	TimeoutIdle    int     `json:"timeout_idle"` // seconds
}

type healthCheck struct {
	Protocol string     `json:"protocol"`
	Port     int        `json:"port"`
	Interval int        `json:"interval"` // seconds
	Timeout  int        `json:"timeout"`  // seconds
	Retries  int        `json:"retries"`
	HTTP     *checkHTTP `json:"http"`
}

type checkHTTP struct {
	Domain      string   `json:"domain"`
	Path        string   `json:"path"`
	Response    string   `json:"response"`
	StatusCodes []string `json:"status_codes"`
	TLS         bool     `json:"tls"`
}

// What is shown of a listener without a health check, which was made by another API.
const (
	defaultInterval = 15
	defaultTimeout  = 10
	defaultRetries  = 3
)

// servicesOf are the listeners of a load balancer that Hetzner can have: others are not shown.
func servicesOf(lb simcloud.LoadBalancer) []service {
	services := []service{}
	for _, l := range lb.Listeners {
		if hasProtocol(l) {
			services = append(services, serviceOf(l))
		}
	}
	return services
}

func hasProtocol(l simcloud.Listener) bool {
	return slices.Contains([]simcloud.Protocol{simcloud.ProtocolTCP, simcloud.ProtocolHTTP, simcloud.ProtocolHTTPS}, l.Protocol)
}

// listenerAt finds the listener of a port, of those that Hetzner can have.
func listenerAt(lb simcloud.LoadBalancer, port int) (simcloud.Listener, bool) {
	i := slices.IndexFunc(lb.Listeners, func(l simcloud.Listener) bool { return l.Port == port && hasProtocol(l) })
	if i < 0 {
		return simcloud.Listener{}, false
	}
	return lb.Listeners[i], true
}

func serviceOf(l simcloud.Listener) service {
	check := l.HealthCheck
	if check == nil {
		check = &simcloud.HealthCheck{
			Protocol: simcloud.HealthCheckTCP, Port: l.TargetPort,
			IntervalSeconds: defaultInterval, TimeoutSeconds: defaultTimeout, Threshold: defaultRetries,
		}
	}
	s := service{
		Protocol: string(l.Protocol), ListenPort: l.Port, DestinationPort: l.TargetPort, Proxyprotocol: l.ProxyProtocol,
		HealthCheck: checkOf(*check),
	}
	if l.Protocol != simcloud.ProtocolTCP {
		s.HTTP = httpOf(l.ListenerConfig)
	}
	return s
}

// The options of a listener that are settings of HTTP.
const (
	optionCookieName     = "cookieName"
	optionCookieLifetime = "cookieLifetime"
	optionStickySessions = "stickySessions"
	optionRedirectHTTP   = "redirectHTTP"
)

// What the settings of HTTP are when a request does not say.
const (
	defaultCookieName     = "HCLBSTICKY"
	defaultCookieLifetime = 300
	defaultTimeoutIdle    = 60
)

// httpOf are the settings of HTTP of a listener.
func httpOf(l simcloud.ListenerConfig) *serviceHTTP {
	lifetime, err := strconv.Atoi(l.Options[optionCookieLifetime])
	if err != nil {
		lifetime = defaultCookieLifetime
	}
	return &serviceHTTP{
		CookieName: cmp.Or(l.Options[optionCookieName], defaultCookieName), CookieLifetime: lifetime, Certificates: each(l.Documents, numberOf),
		StickySessions: l.Options[optionStickySessions] == "true", RedirectHTTP: l.Options[optionRedirectHTTP] == "true",
		TimeoutIdle: cmp.Or(l.IdleTimeoutSeconds, defaultTimeoutIdle),
	}
}

func checkOf(h simcloud.HealthCheck) healthCheck {
	check := healthCheck{
		Protocol: "tcp", Port: h.Port, Interval: h.IntervalSeconds, Timeout: h.TimeoutSeconds, Retries: h.Threshold,
	}
	if h.Protocol == simcloud.HealthCheckTCP {
		return check
	}
	check.Protocol = "http"
	check.HTTP = &checkHTTP{
		Domain: h.Domain, Path: h.Path, Response: h.Response, StatusCodes: h.StatusCodes, TLS: h.Protocol == simcloud.HealthCheckHTTPS,
	}
	if len(h.StatusCodes) == 0 {
		check.HTTP.StatusCodes = []string{"2??", "3??"}
	}
	return check
}
