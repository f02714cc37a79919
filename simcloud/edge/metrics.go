package edge

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// metrics counts requests; each edge has its own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	streams  prometheus.Gauge
	faults   *prometheus.CounterVec
	limited  *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "simcloud_requests_total", Help: "Requests by operation and code; the code of a success is ok.",
		}, []string{"operation", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "simcloud_request_duration_seconds", Help: "How long requests took, streams left out.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"operation"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "simcloud_requests_in_flight", Help: "Requests that are being answered, streams among them.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "simcloud_streams", Help: "Streams that are open.",
		}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "simcloud_fault_hits_total", Help: "Calls that a fault rule changed, by the name of the rule, or else its id, and the effect.",
		}, []string{"rule", "effect"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "simcloud_rate_limited_total", Help: "Calls that were refused because of their rate, by the class that was used up.",
		}, []string{"class"}),
	}
	m.registry.MustRegister(m.requests, m.duration, m.inFlight, m.streams, m.faults, m.limited,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

func (m *metrics) count(operation string, code simcloud.Code) {
	label := string(code)
	if label == "" {
		label = "ok"
	}
	m.requests.WithLabelValues(operation, label).Inc()
}

func (m *metrics) observe(operation string, took time.Duration) {
	m.duration.WithLabelValues(operation).Observe(took.Seconds())
}
