package sim

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// How much a cloud keeps in memory beside its data file, in bytes: the journal, the past that stale reads show, and remembered
// answers. Below the least a journal shows too little to be of use.
const (
	DefaultMemoryBudget = 256 << 20
	LeastMemoryBudget   = 16 << 20
)

// memoryShares are what each part may have of a budget.
type memoryShares struct{ journal, history, answers int }

// shares divides a budget: five, two and one eighth.
func shares(budget int) memoryShares {
	eighth := budget / 8
	return memoryShares{journal: budget - 3*eighth, history: 2 * eighth, answers: eighth}
}

// checkMemory judges the budget.
func (c Config) checkMemory() []simcloud.FieldError {
	if c.MemoryBudget >= LeastMemoryBudget {
		return nil
	}
	detail := fmt.Sprintf("is %d bytes: must be at least %d MiB", c.MemoryBudget, LeastMemoryBudget>>20)
	return []simcloud.FieldError{{Field: "memoryBudget", Detail: detail}}
}

// memoryMetrics say what the parts of the budget take.
type memoryMetrics struct {
	cloud       *Cloud
	use, budget *prometheus.Desc
}

func newMemoryMetrics(c *Cloud) memoryMetrics {
	return memoryMetrics{
		c, prometheus.NewDesc("simcloud_memory_bytes", "About how much memory the cloud takes for what it remembers.", []string{"part"}, nil),
		prometheus.NewDesc("simcloud_memory_budget_bytes", "How much memory all parts of simcloud_memory_bytes may take together.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (m memoryMetrics) Describe(descs chan<- *prometheus.Desc) { descs <- m.use; descs <- m.budget }

// Collect implements prometheus.Collector.
func (m memoryMetrics) Collect(metrics chan<- prometheus.Metric) {
	of := m.cloud.core.Memory()
	for part, bytes := range map[string]int{"journal": m.cloud.journal.Bytes(), "history": of.History, "answers": of.Answers} {
		metrics <- prometheus.MustNewConstMetric(m.use, prometheus.GaugeValue, float64(bytes), part)
	}
	metrics <- prometheus.MustNewConstMetric(m.budget, prometheus.GaugeValue, float64(m.cloud.config.MemoryBudget))
}
