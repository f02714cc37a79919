// Package html_test looks at the report as people do: in a browser.
package html_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report"
)

// browsers are the names of a Chromium, Debian's first.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"}

// startBrowser starts a headless Chromium. Without one the test is skipped.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("THE HTML REPORT IS NOT TESTED: there is no Chromium on the PATH (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience), chromedp.WindowSize(1200, 900))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return browser
}

// tab is a page of the browser that shows a report.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu    sync.Mutex
	said  []string // by the console: errors and violations of the policy
	asked []string // addresses that were loaded
}

// action is one that has no answer.
type action = chromedp.Action[chromedp.Void]

// patience is how long anything may take.
const patience = time.Minute

// open shows a report in a tab of its own. At the end of the test nothing may
// have been wrong in it, and nothing but the page itself been asked for.
func open(t *testing.T, browser context.Context, r scenarios.Report, before ...action) *tab {
	t.Helper()
	raw, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &tab{t: t, url: "file://" + file}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithListener(p.hear))
	t.Cleanup(closeTab)
	p.ctx = ctx
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	p.do(append(before, chromedp.Navigate(p.url))...)
	t.Cleanup(p.nothingWrong)
	return p
}

func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		p.said = append(p.said, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		p.said = append(p.said, fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		p.said = append(p.said, string(e.Type))
	case *network.EventRequestWillBeSent:
		p.asked = append(p.asked, e.Request.URL)
	}
}

func (p *tab) nothingWrong() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		p.t.Errorf("the console says %q", p.said)
	}
	if len(p.asked) != 1 || p.asked[0] != p.url {
		p.t.Errorf("the page asked for %q, want only itself", p.asked)
	}
}

func (p *tab) do(actions ...action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// command is an action that is one command of the browser's protocol.
func command[P, R any](c cdp.Command[P, R], params P) action {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, params)
		return err
	})
}

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until an expression is true.
func (p *tab) await(expression string) {
	p.t.Helper()
	if err := p.becomes(expression); err != nil {
		p.t.Errorf("%s: %v", expression, err)
	}
}

// becomes is await that returns how it went.
func (p *tab) becomes(expression string) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression))
	return err
}

// count is how many elements of the page a selector has.
func (p *tab) count(selector string) int {
	p.t.Helper()
	return eval[int](p, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// text is what an element shows.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return strings.Join(strings.Fields(eval[string](p, fmt.Sprintf("document.querySelector(%q).textContent", selector))), " ")
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
