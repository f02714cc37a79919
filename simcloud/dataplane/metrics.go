package dataplane

import (
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// descriptions are the metrics of a balancer.
type descriptions struct {
	listening, connections, accepted, refused, bytes, healthy *prometheus.Desc
}

func describe() descriptions {
	listener := []string{"load_balancer", "address", "protocol", "port"}
	named := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("simcloud_dataplane_"+name, help, labels, nil)
	}
	return descriptions{
		listening:   named("listening", "1 for a listener that listens, 0 for one that cannot.", listener...),
		connections: named("connections", "Open connections; of UDP, clients that are remembered.", listener...),
		accepted:    named("connections_total", "Connections that came, those that were refused included.", listener...),
		refused:     named("refused_total", "Connections and datagrams that were turned away.", append(slices.Clip(listener), "reason")...),
		bytes:       named("bytes_total", "Bytes received from clients and sent to them.", append(slices.Clip(listener), "direction")...),
		healthy:     named("target_healthy", "1 for a target that gets connections, 0 for one that does not.", "load_balancer", "instance"),
	}
}

// Describe implements prometheus.Collector.
func (b *Balancer) Describe(descs chan<- *prometheus.Desc) {
	d := b.descriptions
	for _, desc := range []*prometheus.Desc{d.listening, d.connections, d.accepted, d.refused, d.bytes, d.healthy} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector. What a listener has counted is deleted with it.
func (b *Balancer) Collect(metrics chan<- prometheus.Metric) {
	for _, s := range b.Status() {
		b.collectListener(s, metrics)
	}
	for key, healthy := range machines(b.Health()) {
		metrics <- prometheus.MustNewConstMetric(b.descriptions.healthy, prometheus.GaugeValue,
			oneIf(healthy), string(key.loadBalancer), string(key.instance))
	}
}

// machine is an instance that is a target of a load balancer, or of groups of it.
type machine struct{ loadBalancer, instance simcloud.ID }

// machines are healthy when all targets are that they are.
func machines(all []Health) map[machine]bool {
	healthy := map[machine]bool{}
	for _, h := range all {
		key := machine{h.LoadBalancer, h.Instance}
		before, there := healthy[key]
		healthy[key] = h.Health == simcloud.TargetHealthy && (before || !there)
	}
	return healthy
}

func (b *Balancer) collectListener(s ListenerStatus, metrics chan<- prometheus.Metric) {
	d := b.descriptions
	labels := []string{string(s.LoadBalancer), s.Address.String(), string(s.Protocol), strconv.Itoa(s.Port)}
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, more ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, kind, value, append(slices.Clip(labels), more...)...)
	}
	send(d.listening, prometheus.GaugeValue, oneIf(s.Error == nil))
	send(d.connections, prometheus.GaugeValue, float64(s.Connections))
	send(d.accepted, prometheus.CounterValue, float64(s.Accepted))
	for reason, n := range s.Refused {
		send(d.refused, prometheus.CounterValue, float64(n), string(reason))
	}
	send(d.bytes, prometheus.CounterValue, float64(s.Received), "received")
	send(d.bytes, prometheus.CounterValue, float64(s.Sent), "sent")
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
