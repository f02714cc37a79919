package expr_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

const metricsPage = `# HELP calls_total The calls.
# TYPE calls_total counter
calls_total{code="",operation="GetZone"} 3
calls_total{code="locked",operation="GetZone"} 1.5 1700000000
calls_total{code="",operation="say \"{a}\", b\\"} 1e2
calls_total_more{code=""} 7
up 1
delay_bucket{le="+Inf"} 4
nothing
broken{a="b 3
`

func TestMetric(t *testing.T) {
	tests := []struct {
		call string
		want string
	}{
		{`metric(page, "calls_total", {"operation": "GetZone"})`, "4.5"},
		{`metric(page, "calls_total", {"operation": "GetZone", "code": "locked"})`, "1.5"},
		{`metric(page, "calls_total", {"code": ""})`, "103.0"},
		{`metric(page, "calls_total", {"operation": "say \"{a}\", b\\"})`, "100.0"},
		{`metric(page, "calls_total", {})`, "104.5"},
		{`metric(page, "calls_total", {"zone": ""})`, "0.0"},
		{`metric(page, "up", {})`, "1.0"},
		{`metric(page, "delay_bucket", {"le": "+Inf"})`, "4.0"},
		{`metric(page, "broken", {})`, "0.0"},
		{`metric(page, "calls", {})`, "0.0"},
	}
	for _, test := range tests {
		d := &syntax.Decoder{}
		var err error
		if d.Expr, err = expr.NewCompiler(); err != nil {
			t.Fatal(err)
		}
		if err := d.Expr.Declare("page"); err != nil {
			t.Fatal(err)
		}
		expr, issues := d.Expr.Compile(test.call + " == " + test.want)
		if issues != nil {
			t.Fatal(issues)
		}
		s := observe.NewSnapshot("ns")
		s.Captured["page"] = metricsPage
		if yes, err := expr.Truth(s); !yes {
			t.Errorf("%s is not %s (%v)", test.call, test.want, err)
		}
	}
}
