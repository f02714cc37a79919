package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud/browsertest"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

type css = browsertest.CSS

// tab is a page of the browser that shows a console.
type tab struct {
	*browsertest.Tab
	url   string // of the cloud
	token string
	api   *client.Client
}

// open shows the console of a cloud in a tab of its own. At the end of the test nothing may have been wrong in
// it, and no other place been asked for anything.
func open(t *testing.T, browser browsertest.Browser, cloud *sim.Cloud, api *client.Client, before ...browsertest.Action) *tab {
	t.Helper()
	return openAt(t, browser, &tab{url: cloud.URL(), token: cloud.Token(), api: api}, before...)
}

func openAt(t *testing.T, browser browsertest.Browser, p *tab, before ...browsertest.Action) *tab {
	t.Helper()
	p.Tab = browser.Open(t, console.Link(p.url, p.token), p.mayAsk, before...)
	p.Await(`document.getElementById("live").textContent === "live"`)
	return p
}

// mayAsk reports whether an address is of the page's own cloud, and has no token where a server or a log could see it.
func (p *tab) mayAsk(address string) bool {
	sent, _, _ := strings.Cut(address, "#")
	own := strings.HasPrefix(address, p.url+"/") || strings.HasPrefix(address, "data:")
	return own && !strings.Contains(sent, p.token) && !strings.Contains(sent, url.QueryEscape(p.token))
}

// askedFor is what followed the beginning of an address that the page has asked for last.
func (p *tab) askedFor(beginning string) (rest string) {
	for _, address := range p.Asked() {
		if after, ok := strings.CutPrefix(address, p.url+beginning); ok {
			rest = after
		}
	}
	return rest
}

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.T.Helper()
	return browsertest.Eval[T](p.Tab, expression)
}
