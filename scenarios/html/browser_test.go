// Package html_test looks at the report as people do: in a browser.
package html_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
	"github.com/simcloud-dev/simcloud/simcloud/browsertest"
)

// tab is a page of the browser that shows a report.
type tab struct {
	*browsertest.Tab
	url string
}

// open shows a report in a tab of its own. At the end of the test nothing may
// have been wrong in it, and nothing but the page itself been asked for.
func open(t *testing.T, browser browsertest.Browser, r scenarios.Report, before ...browsertest.Action) *tab {
	t.Helper()
	raw, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	url := "file://" + file
	return &tab{browser.Open(t, url, func(address string) bool { return address == url }, before...), url}
}

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.T.Helper()
	return browsertest.Eval[T](p.Tab, expression)
}

// example is a report with failures and, in the first scenario that failed, a storm of calls.
func example(t *testing.T) scenarios.Report {
	t.Helper()
	raw, err := os.ReadFile("../report/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	var r scenarios.Report
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	failed := &r.Scenarios[1]
	failed.File, failed.Source = "lb.yaml", &scenarios.Source{Line: 8, Text: "  steps:\n  - apply\n\n\n  - expect"}
	for i, m := range failed.Timeline {
		if strings.HasPrefix(m.Title, "CreateLoadBalancer") || m.Title == "lb-1 web created" {
			failed.Timeline[i].Detail = map[string]string{"operationID": "op-7"}
			maps.Copy(failed.Timeline[i].Detail, m.Detail)
		}
	}
	for i, m := range failed.Timeline {
		if object := exampleStates()[m.Title]; object != nil {
			failed.Timeline[i].Object = object
		}
	}
	for i := range 3000 {
		at := 1 + float64(i)*0.007
		if i >= 1500 {
			at = 6 + float64(i)*0.0001
		}
		call := scenarios.TimelineEntry{At: at, Until: at + 0.002, Lane: scenarios.LaneCalls, Title: fmt.Sprintf("GetInstance instance/i-%d", i)}
		r.Scenarios[1].Timeline = append(r.Scenarios[1].Timeline, call)
	}
	return r
}

// exampleStates are what objects of the example are, by the titles of the changes.
func exampleStates() map[string]*scenarios.ObjectState {
	return map[string]*scenarios.ObjectState{
		"lb-1 web created": {Name: "lb-1", State: "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4,\n  \"state\": \"new\"\n}"},
		"lb-2 web created": {Name: "lb-1", State: "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4,\n  \"state\": \"<b>ready</b>\"\n}"},
		"Event Warning SyncLoadBalancerFailed service/web": {Name: "service web", Before: "{\n  \"x\": 1\n}"},
	}
}
