package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

// hiddenTexts are what terminals act on, or show as something else.
var hiddenTexts = []string{"\x00", "\x1b[2J", "a\nb", "\t", "\x7f", "\u0085", "\u009b31m", "\u2028", "\u202e", "\ufffe"}

// testTexts: free texts are printable, since they are shown in tables, logs and reports.
func testTexts(s suite) {
	s.run("CreateInstance/LabelsArePrintable", func(f *fixture) {
		for _, text := range hiddenTexts {
			_, err := f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"k": text}})
			f.wantField(err, "labels[k]")
			_, err = f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a", Labels: map[string]string{text: "v"}})
			f.wantField(err, "labels")
		}
	})
	s.run("UpdateInstance/LabelsArePrintable", func(f *fixture) {
		before := f.instanceOf(simcloud.InstanceSpec{Name: "a", Labels: map[string]string{"größe": "日本 👍"}})
		_, err := f.UpdateInstance(f.ctx, before.ID, simcloud.InstanceUpdate{Labels: &map[string]string{"k": "\x1b"}})
		f.wantField(err, "labels[k]")
		f.equal("the instance", f.getInstance(before.ID), before)
	})
	s.run("CreateLoadBalancer/TextsArePrintable", func(f *fixture) {
		listener := tcp(80, 30080)
		listener.Labels = map[string]string{"k": "\n"}
		listener.HealthCheck = &simcloud.HealthCheck{Protocol: simcloud.HealthCheckHTTP, Port: 1, Path: "/\x1b"}
		_, err := f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{
			Name: "lb", Class: "\u202e", Listeners: []simcloud.ListenerSpec{listener},
			Targets: []simcloud.TargetSpec{{Instance: "i-1", Labels: map[string]string{"k": "\x7f"}}},
		})
		for _, field := range []string{"class", "listeners[0].labels[k]", "listeners[0].healthCheck.path", "targets[0].labels[k]"} {
			f.wantField(err, field)
		}
	})
}
