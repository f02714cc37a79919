package console_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
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
		t.Skip("THE CONSOLE IS NOT TESTED: there is no Chromium on the PATH (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(simtest.Patience), chromedp.WindowSize(1500, 1000))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return browser
}

// action is one that has no answer, css how tests name elements.
type (
	action = chromedp.Action[chromedp.Void]
	css    = chromedp.CSS
)

// tab is a page of the browser that shows a console.
type tab struct {
	t     *testing.T
	ctx   context.Context
	url   string // of the cloud
	token string
	api   *client.Client

	mu    sync.Mutex
	said  []string // errors, and violations of the policy
	asked []string // addresses that were loaded
}

// open shows the console of a cloud in a tab of its own. At the end of the test nothing may have been wrong in
// it, and no other place been asked for anything.
func open(t *testing.T, browser context.Context, cloud *sim.Cloud, api *client.Client, before ...action) *tab {
	t.Helper()
	return openAt(t, browser, &tab{t: t, url: cloud.URL(), token: cloud.Token(), api: api}, before...)
}

func openAt(t *testing.T, browser context.Context, p *tab, before ...action) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithListener(p.hear))
	t.Cleanup(closeTab)
	p.ctx = ctx
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	p.do(append(before, chromedp.Navigate(console.Link(p.url, p.token)))...)
	t.Cleanup(p.nothingWrong)
	p.await(`document.getElementById("live").textContent === "live"`)
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
		p.t.Errorf("the browser reports %q", p.said)
	}
	for _, url := range p.asked {
		if !strings.HasPrefix(url, p.url+"/") && !strings.HasPrefix(url, "data:") {
			p.t.Errorf("the page asked for %q", url)
		}
		if strings.Contains(strings.Split(url, "#")[0], p.token) {
			p.t.Errorf("the token was sent in the address %q", url)
		}
	}
}

// askedFor is what followed the beginning of an address that the page has asked for last.
func (p *tab) askedFor(beginning string) (rest string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.asked {
		if after, ok := strings.CutPrefix(url, p.url+beginning); ok {
			rest = after
		}
	}
	return rest
}

func (p *tab) do(actions ...action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, simtest.Patience)
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

// dark is how a browser asks for dark pages.
var dark = command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
	Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
})

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, simtest.Patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until an expression is true. The page's policy forbids what chromedp polls with.
func (p *tab) await(expression string) {
	p.t.Helper()
	waittest.For(p.t, expression, func() bool { return eval[bool](p, "Boolean("+expression+")") })
}

// awaitText waits until an element shows a text.
func (p *tab) awaitText(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, text))
}

// text is what an element shows.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return strings.Join(strings.Fields(eval[string](p, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector))), " ")
}

// count is how many elements of the page a selector has.
func (p *tab) count(selector string) int {
	p.t.Helper()
	return eval[int](p, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// picture saves what the tab shows among the artifacts of the test.
func (p *tab) picture(name string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, simtest.Patience)
	defer cancel()
	raw, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.t.ArtifactDir(), name+".png"), raw, 0o600); err != nil {
		p.t.Fatal(err)
	}
}
