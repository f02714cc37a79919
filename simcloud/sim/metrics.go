package sim

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud/core"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// storeMetrics are how long the data file takes.
type storeMetrics struct {
	duration *prometheus.HistogramVec
	updates  prometheus.Histogram
}

func newStoreMetrics() storeMetrics {
	return storeMetrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "simcloud_store_commit_duration_seconds", Help: "How long commits took, until they were on disk or had failed.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"result"}),
		updates: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "simcloud_store_commit_updates", Help: "How many updates shared a commit.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
	}
}

// collectors are what /metrics says besides what the server counts itself.
func (c *Cloud) collectors() []prometheus.Collector {
	all := []prometheus.Collector{c.commits.duration, c.commits.updates, newStock(c.core), newMemoryMetrics(c), c.descriptors.failed}
	if c.packets != nil {
		all = append(all, c.packets)
	}
	return all
}

// observe is called for each commit.
func (m storeMetrics) observe(c store.Commit) {
	result := "ok"
	if c.Failed {
		result = "failed"
	}
	m.duration.WithLabelValues(result).Observe(c.Took.Seconds())
	m.updates.Observe(float64(c.Updates))
}

// stock says what a cloud holds, whenever it is asked.
type stock struct {
	cloud *core.Cloud
	desc  *prometheus.Desc
}

func newStock(cloud *core.Cloud) stock {
	return stock{cloud, prometheus.NewDesc("simcloud_resources",
		"Resources of all projects by kind and state; the state is empty for kinds without one.", []string{"kind", "state"}, nil)}
}

// Describe implements prometheus.Collector.
func (s stock) Describe(descs chan<- *prometheus.Desc) { descs <- s.desc }

// Collect implements prometheus.Collector.
func (s stock) Collect(metrics chan<- prometheus.Metric) {
	counts, err := s.cloud.Count(context.Background())
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(s.desc, err)
		return
	}
	for _, c := range counts {
		metrics <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, float64(c.N), string(c.Kind), c.State)
	}
}
