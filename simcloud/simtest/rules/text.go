package rules

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// hiddenTexts are what terminals act on, or show as something else.
var hiddenTexts = []string{"\x00", "\x1b[2J", "a\nb", "\t", "\x7f", "\u0085", "\u009b31m", "\u2028", "\u202e", "\ufffe"}

// testTexts: free texts are printable, since they are shown in tables, logs and reports.
func testTexts(s suite.Runner) {
	s.Test("CreateInstance/LabelsArePrintable", func(f *suite.Fixture) {
		for _, text := range hiddenTexts {
			_, err := f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": text}})
			f.WantField(err, "labels[k]")
			_, err = f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a", Labels: map[string]string{text: "v"}})
			f.WantField(err, "labels")
		}
	})
	s.Test("UpdateInstance/LabelsArePrintable", func(f *suite.Fixture) {
		before := f.InstanceOf(simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"größe": "日本 👍"}})
		_, err := f.UpdateInstance(f.Ctx, before.ID, simcloud.InstanceUpdate{Labels: &map[string]string{"k": "\x1b"}})
		f.WantField(err, "labels[k]")
		f.Equal("the instance", f.MustGetInstance(before.ID), before)
	})
	s.Test("CreateLoadBalancer/TextsArePrintable", func(f *suite.Fixture) {
		listener := suite.TCP(80, 30080)
		listener.Labels = map[string]string{"k": "\n"}
		listener.HealthCheck = &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Port: 1, Path: "/\x1b"}
		_, err := f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{
			Name: "lb", Class: "\u202e", Listeners: []simcloud.ListenerSpec{listener},
			Targets: []simcloud.TargetSpec{{Instance: "i-1", Labels: map[string]string{"k": "\x7f"}}},
		})
		for _, field := range []string{"class", "listeners[0].labels[k]", "listeners[0].healthCheck.path", "targets[0].labels[k]"} {
			f.WantField(err, field)
		}
	})
}
