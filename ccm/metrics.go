package ccm

import (
	"time"

	"k8s.io/component-base/metrics"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// callMetrics counts and times the calls of the cloud.
type callMetrics struct {
	calls   *metrics.CounterVec
	seconds *metrics.HistogramVec
}

// codeOK stands in the code label of a call that succeeded.
const codeOK = "ok"

// newCallMetrics makes the metrics and has them registered.
func newCallMetrics(register func(metrics.Registerable) error) (*callMetrics, error) {
	m := &callMetrics{
		calls: metrics.NewCounterVec(&metrics.CounterOpts{
			Subsystem: "simcloud_ccm", Name: "cloud_calls_total", StabilityLevel: metrics.ALPHA,
			Help: "Calls of the cloud, by the operation's name and the code that it ended in (ok when it succeeded).",
		}, []string{"operation", "code"}),
		seconds: metrics.NewHistogramVec(&metrics.HistogramOpts{
			Subsystem: "simcloud_ccm", Name: "cloud_call_duration_seconds", StabilityLevel: metrics.ALPHA,
			Help:    "How long calls of the cloud took, retries included.",
			Buckets: metrics.ExponentialBuckets(0.001, 4, 8),
		}, []string{"operation"}),
	}
	if err := register(m.calls); err != nil {
		return nil, err
	}
	return m, register(m.seconds)
}

// around counts and times one call.
func (m *callMetrics) around(operation string, call func() error) error {
	started := time.Now()
	err := call()
	code := codeOK
	if err != nil {
		code = string(simcloud.CodeOf(err))
	}
	m.calls.WithLabelValues(operation, code).Inc()
	m.seconds.WithLabelValues(operation).Observe(time.Since(started).Seconds())
	return err
}
