package ccm

import (
	"context"
	"errors"
	"time"

	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// callMetrics counts and times the calls of the cloud.
type callMetrics struct {
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

// newCallMetrics makes the metrics and has them registered.
func newCallMetrics(register func(metrics.Registerable) error) (*callMetrics, error) {
	m := &callMetrics{
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

// around counts and times one call.
func (m *callMetrics) around(operation string, call func() error) error {
	started := time.Now()
	err := call()
	m.calls.WithLabelValues(operation, codeLabel(err)).Inc()
	m.seconds.WithLabelValues(operation).Observe(time.Since(started).Seconds())
	return err
}

// retried counts an attempt that is made again.
func (m *callMetrics) retried(operation string, err error) {
	m.retries.WithLabelValues(operation, codeLabel(err)).Inc()
}

// reachable tells whether the cloud answered the last call.
func (m *callMetrics) reachable(yes bool) {
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
