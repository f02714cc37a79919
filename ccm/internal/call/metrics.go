package call

import (
	"context"
	"errors"
	"time"

	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Metrics counts and times the calls of the cloud.
type Metrics struct {
	calls   *metrics.CounterVec
	retries *metrics.CounterVec
	seconds *metrics.HistogramVec
	answers *metrics.Gauge
}

// What stands in the code label of a call that succeeded, and of one whose caller gave up.
const (
	codeOK       = "ok"
	codeCanceled = "canceled"
)

// NewMetrics makes the metrics and has them registered.
func NewMetrics(register func(metrics.Registerable) error) (*Metrics, error) {
	m := &Metrics{
		calls: metrics.NewCounterVec(&metrics.CounterOpts{
			Subsystem: "simcloud_ccm", Name: "cloud_calls_total", StabilityLevel: metrics.ALPHA,
			Help: "Calls of the cloud, by the operation's name and the code that it ended in (ok when it succeeded).",
		}, []string{"operation", "code"}),
		retries: metrics.NewCounterVec(&metrics.CounterOpts{
			Subsystem: "simcloud_ccm", Name: "cloud_retries_total", StabilityLevel: metrics.ALPHA,
			Help: "Attempts at calls of the cloud that were made again, by the operation's name and the code that the attempt ended in.",
		}, []string{"operation", "code"}),
		answers: metrics.NewGauge(&metrics.GaugeOpts{
			Subsystem: "simcloud_ccm", Name: "cloud_reachable", StabilityLevel: metrics.ALPHA,
			Help: "1 when the cloud answered the last call, 0 when it did not or refused the token.",
		}),
		seconds: metrics.NewHistogramVec(&metrics.HistogramOpts{
			Subsystem: "simcloud_ccm", Name: "cloud_call_duration_seconds", StabilityLevel: metrics.ALPHA,
			Help:    "How long calls of the cloud took, retries included.",
			Buckets: metrics.ExponentialBuckets(0.001, 4, 8),
		}, []string{"operation"}),
	}
	for _, each := range []metrics.Registerable{m.calls, m.retries, m.seconds, m.answers} {
		if err := register(each); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Around counts and times one call.
func (m *Metrics) Around(operation string, call func() error) error {
	started := time.Now()
	err := call()
	m.calls.WithLabelValues(operation, codeLabel(err)).Inc()
	m.seconds.WithLabelValues(operation).Observe(time.Since(started).Seconds())
	return err
}

// Retried counts an attempt that is made again.
func (m *Metrics) Retried(operation string, err error) {
	m.retries.WithLabelValues(operation, codeLabel(err)).Inc()
}

// Reachable tells whether the cloud answered the last call.
func (m *Metrics) Reachable(yes bool) {
	m.answers.Set(map[bool]float64{true: 1}[yes])
}

func codeLabel(err error) string {
	switch {
	case err == nil:
		return codeOK
	case errors.Is(err, context.Canceled):
		return codeCanceled
	default:
		return string(simcloud.CodeOf(err))
	}
}
