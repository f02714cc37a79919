// Package browsertest looks at pages in tests as people do: in a browser.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// browsers are the names of a Chromium, Debian's first.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"}

// Action is one that has no answer, and CSS how tests name elements.
type (
	Action = chromedp.Action[chromedp.Void]
	CSS    = chromedp.CSS
)

// Dark is how a browser asks for dark pages.
var Dark = Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
	Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
})

// Command is an action that is one command of the browser's protocol.
func Command[P, R any](c cdp.Command[P, R], params P) Action {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, params)
		return err
	})
}

// Browser is a Chromium that the tests of a package have together.
type Browser struct{ ctx context.Context }

// Start starts a headless Chromium with windows of a size. Without one the test is skipped, which says what is not tested.
func Start(t *testing.T, what string, width, height int) Browser {
	t.Helper()
	i := slices.IndexFunc(browsers, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	})
	if i < 0 {
		t.Skipf("%s IS NOT TESTED: there is no Chromium on the PATH (Debian: apt-get install chromium)", strings.ToUpper(what))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browsers[i]), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(waittest.Patience()), chromedp.WindowSize(width, height))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", browsers[i], err)
	}
	return Browser{ctx}
}

// Tab is a page of the browser.
type Tab struct {
	T *testing.T

	ctx   context.Context
	mu    sync.Mutex
	said  []string // errors, and violations of the policy
	asked []string // addresses that were loaded
}

// Open shows an address in a tab of its own, after some actions. At the end of the test the
// browser may not have reported anything, and the page have asked for no other address than those that are allowed.
func (b Browser) Open(t *testing.T, address string, allowed func(address string) bool, before ...Action) *Tab {
	t.Helper()
	p := &Tab{T: t}
	ctx, closeTab := chromedp.NewContext(b.ctx, chromedp.WithListener(p.hear))
	t.Cleanup(closeTab)
	p.ctx = ctx
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	p.Do(append(before, chromedp.Navigate(address))...)
	t.Cleanup(func() { p.nothingWrong(allowed) })
	return p
}

func (p *Tab) hear(event any) {
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

func (p *Tab) nothingWrong(allowed func(string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		p.T.Errorf("the browser reports %q", p.said)
	}
	if len(p.asked) == 0 {
		p.T.Error("the browser has loaded nothing")
	}
	for _, address := range p.asked {
		if !allowed(address) {
			p.T.Errorf("the page asked for %q", address)
		}
	}
}

// Asked are the addresses that the page has asked for.
func (p *Tab) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// Do performs actions.
func (p *Tab) Do(actions ...Action) {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, waittest.Patience())
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.T.Fatal(err)
	}
}

// Eval evaluates an expression in the page.
func Eval[T any](p *Tab, expression string) T {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, waittest.Patience())
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.T.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Await waits until an expression is true. A page's policy may forbid what chromedp polls with.
func (p *Tab) Await(expression string) {
	p.T.Helper()
	waittest.For(p.T, expression, func() bool { return Eval[bool](p, "Boolean("+expression+")") })
}

// AwaitText waits until an element shows a text.
func (p *Tab) AwaitText(selector, text string) {
	p.T.Helper()
	p.Await(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, text))
}

// Text is what an element shows.
func (p *Tab) Text(selector string) string {
	p.T.Helper()
	return strings.Join(strings.Fields(Eval[string](p, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector))), " ")
}

// Count is how many elements of the page a selector has.
func (p *Tab) Count(selector string) int {
	p.T.Helper()
	return Eval[int](p, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// Click clicks on an element as soon as it is there.
func (p *Tab) Click(selector string) {
	p.T.Helper()
	p.Await(fmt.Sprintf("document.querySelector(%q)", selector))
	p.Do(chromedp.Click[CSS](CSS(selector)))
}

// SetField gives a field of a form a value, as its user does.
func (p *Tab) SetField(field, value string) {
	p.T.Helper()
	Eval[bool](p, fmt.Sprintf(`(() => { const f = document.querySelector(%q); f.value = %q; return f.dispatchEvent(new Event("input", {bubbles: true})) && f.dispatchEvent(new Event("change", {bubbles: true})); })()`, field, value))
}

// Picture saves what the tab shows among the artifacts of the test.
func (p *Tab) Picture(name string) {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, waittest.Patience())
	defer cancel()
	raw, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.T.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.T.ArtifactDir(), name+".png"), raw, 0o600); err != nil {
		p.T.Fatal(err)
	}
}
