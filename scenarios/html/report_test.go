package html_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simcloud-dev/simcloud/simcloud/browsertest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestReportInABrowser drives the report as people do.
func TestReportInABrowser(t *testing.T) {
	browser := browsertest.Start(t, "the HTML report", 1200, 900)
	for name, test := range map[string]func(*testing.T, *tab){
		"ShowsFailuresFirst": showsFailuresFirst, "Zooms": zooms, "Moves": moves, "Filters": filters,
		"TellsAboutAMoment": tellsAboutAMoment, "GoesThroughTheList": goesThroughTheList, "ShowsCausality": showsCausality, "MarksTheSource": marksTheSource, "ShowsObjects": showsObjects, "FindsScenarios": findsScenarios,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, browser, example(t))) })
	}
	t.Run("Light and dark", func(t *testing.T) {
		lightAndDark(t, open(t, browser, example(t)), open(t, browser, example(t), browsertest.Dark))
	})
	t.Run("On a phone", func(t *testing.T) {
		p := open(t, browser, example(t), chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
		if width := eval[int](p, "document.scrollingElement.scrollWidth"); width > 360 {
			t.Errorf("the page is %d pixels wide on a screen of 360", width)
		}
	})
	t.Run("Without scripts", func(t *testing.T) {
		off := browsertest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		p := open(t, browser, example(t), off)
		shown := eval[string](p, `document.querySelector("main").innerText`)
		if !strings.Contains(shown, "the expectation did not become true within 5s") || strings.Contains(shown, "show it in the timeline") {
			t.Errorf("the page shows %s", shown)
		}
	})
}

func showsFailuresFirst(t *testing.T, p *tab) {
	if got := p.Text("h1"); got != "1 failed, 1 broken, 1 undecided, 1 not run, 1 skipped, 1 passed" {
		t.Errorf("the title is %q", got)
	}
	if got := p.Text(".scenario .name"); got != "lb-answer-lost" || p.Count(".scenario.failed[open]") != 1 || p.Count(".scenario.passed[open]") != 0 {
		t.Errorf("the first scenario is %q", got)
	}
	if lanes, moments := p.Count(".chart .lane"), p.Count(".chart .moment"); lanes != 8 || moments < 500 || moments > 2000 {
		t.Errorf("%d lanes and %d moments are drawn: want 8, and fewer of 3011 than there are", lanes, moments)
	}
	if got := eval[string](p, "document.title"); strings.Contains(got, "taken") {
		t.Error("a message of the cloud was run as a script")
	}
	if got := p.Text("#lb-answer-lost section.failure"); !strings.Contains(got, `</script><img src=x onerror="document.title='taken'">`) {
		t.Errorf("the failure shows %q", got)
	}
}

// shownEnds are the two ends of the part of the timeline that is shown.
const shownEnds = `document.querySelector(".range").textContent.split("–").map(parseFloat)`

// shown is the part of the timeline that is shown, in seconds.
func (p *tab) shown() (from, to float64) {
	p.T.Helper()
	ends := eval[[]float64](p, shownEnds)
	return ends[0], ends[1]
}

// wantShown wants a part of the timeline to be shown soon, give or take some: the browser says that
// it has an event of the wheel before the page does.
func (p *tab) wantShown(what string, from, to, some float64) {
	p.T.Helper()
	waittest.For(p.T, what, func() error {
		gotFrom, gotTo := p.shown()
		if math.Abs(gotFrom-from) > some || math.Abs(gotTo-to) > some {
			return fmt.Errorf("%.3f to %.3f is shown, want %.3f to %.3f", gotFrom, gotTo, from, to)
		}
		return nil
	})
}

// place is where on the screen a share of the chart's width is.
func (p *tab) place(share float64) (x, y float64) {
	p.T.Helper()
	p.Do(chromedp.ScrollIntoView[browsertest.CSS](".chart"))
	box := eval[[]float64](p, `(() => { const b = document.querySelector(".chart").getBoundingClientRect(); return [b.left + gutter, b.right, b.top]; })()`)
	return box[0] + (box[1]-box[0])*share, box[2] + 8
}

// mouse is an event of the mouse with the left button down, unless it is the wheel's.
func mouse(kind input.DispatchMouseEventType, x, y float64, modifiers chromedp.Modifier) browsertest.Action {
	return chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1), chromedp.ButtonModifiers(modifiers))
}

func (p *tab) wheel(share, deltaX, deltaY float64, modifiers chromedp.Modifier) {
	p.T.Helper()
	x, y := p.place(share)
	// The type of chromedp leaves a delta of 0 out, and the browser wants both.
	dispatch := cdp.Command[map[string]any, cdp.Empty]{Method: input.CommandDispatchMouseEvent}
	p.Do(browsertest.Command(dispatch, map[string]any{
		"type": chromedp.MouseWheel, "x": x, "y": y, "deltaX": deltaX, "deltaY": deltaY, "modifiers": modifiers,
	}))
}

func (p *tab) drag(from, to float64, modifiers chromedp.Modifier) {
	p.T.Helper()
	x0, y := p.place(from)
	x1, _ := p.place(to)
	p.Do(mouse(chromedp.MousePressed, x0, y, modifiers), mouse(chromedp.MouseMoved, (x0+x1)/2, y, modifiers), mouse(chromedp.MouseMoved, x1, y, modifiers))
	marked := eval[float64](p, `document.querySelector(".chart .over")?.getBoundingClientRect().width ?? 0`)
	if want := (x1 - x0) * float64(min(modifiers, 1)); math.Abs(marked-want) > 2 {
		p.T.Errorf("%.0f pixels are marked as drawn over, want %.0f", marked, want)
	}
	p.Do(mouse(chromedp.MouseReleased, x1, y, modifiers))
	if p.Count(".chart .over") != 0 {
		p.T.Error("what was drawn over stays marked")
	}
}

func zooms(t *testing.T, p *tab) {
	_, end := p.shown()
	if end < 12.5 {
		t.Fatalf("all there is ends at %.3f", end)
	}
	p.Do(chromedp.Click[browsertest.CSS](".zoom[title='zoom in']"))
	p.wantShown("the button", end/4, end*3/4, 0.1)
	p.Do(chromedp.Click[browsertest.CSS](".zoom[title='zoom out']"))
	p.wantShown("the button back", 0, end, 0.1)
	p.wheel(0.25, 0, -100, chromedp.ModifierCtrl)
	p.wantShown("the wheel over a quarter", end*0.05, end*0.85, 0.2)
	before := eval[float64](p, "scrollY")
	p.wheel(0.25, 0, 100, 0)
	p.Await(fmt.Sprintf("scrollY > %f", before))
	p.wantShown("the wheel alone, which scrolls the page", end*0.05, end*0.85, 0.2)
	p.Do(chromedp.Click[browsertest.CSS](".zoom[title='show all of it']"))
	p.drag(0.5, 0.75, chromedp.ModifierShift)
	p.wantShown("a part that was drawn over", end/2, end*3/4, 0.2)
	for range 40 {
		p.Do(chromedp.Click[browsertest.CSS](".zoom[title='zoom in']"))
	}
	if from, to := p.shown(); to-from > 0.01 || to-from <= 0 || p.Count(".axis text") < 2 {
		t.Errorf("at the smallest %.4f to %.4f is shown", from, to)
	}
	p.Do(chromedp.Focus[browsertest.CSS](".chart"), chromedp.KeyEvent("0"))
	p.wantShown("the key 0", 0, end, 0.1)
	p.Do(chromedp.KeyEvent("+"))
	p.wantShown("the key +", end/4, end*3/4, 0.1)
}

func moves(t *testing.T, p *tab) {
	_, end := p.shown()
	p.Do(chromedp.Click[browsertest.CSS](".zoom[title='zoom in']"))
	p.drag(0.75, 0.5, 0)
	p.wantShown("a drag to the left", end*3/8, end*7/8, 0.2)
	p.drag(0.1, 0.9, 0)
	p.wantShown("a drag beyond the beginning", 0, end/2, 0.2)
	p.Do(chromedp.Focus[browsertest.CSS](".chart"), chromedp.KeyEvent(kb.ArrowRight))
	p.wantShown("the key to the right", end/10, end*6/10, 0.2)
	p.wheel(0.5, 10000, 0, 0)
	p.wantShown("a wheel to the right", end/2, end, 0.2)
	if strings.TrimSpace(p.Text(".detail")) != "" {
		t.Error("what was dragged over is selected")
	}
}

// empty takes the text out of a field, as its user does.
func (p *tab) empty(field string) {
	p.T.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const f = document.querySelector(%q); f.value = ""; return f.dispatchEvent(new Event("input")); })()`, field))
}

func filters(t *testing.T, p *tab) {
	p.Do(chromedp.Click[browsertest.CSS](".chip.lane.calls input"))
	if p.Count(".chart .lane.calls") != 0 || p.Count(".chart .lane") != 7 {
		t.Error("a lane that is not wanted is shown")
	}
	p.Do(chromedp.Click[browsertest.CSS](".chip.lane.calls input"), chromedp.SendKeys[browsertest.CSS](".filter", "syncLOADbalancer"))
	p.Do(chromedp.Click[browsertest.CSS](".list summary"), chromedp.WaitVisible[browsertest.CSS](".list tbody tr"))
	if got := p.Count(".chart .moment"); got != 1 || p.Count(".list tbody tr") != 1 {
		t.Errorf("%d moments have the text", got)
	}
	p.empty(".filter")
	p.Do(chromedp.SendKeys[browsertest.CSS](".filter", "my-ccm/1"))
	if got := p.Text(".chart .moment title"); got != "CreateLoadBalancer → unavailable (reset)" || p.Count(".chart .moment") != 1 {
		t.Errorf("the text of its details leads to %q", got)
	}
	p.empty(".filter")
	p.Do(chromedp.Click[browsertest.CSS](".only-failed input"))
	if all, failed := p.Count(".chart .moment"), p.Count(".chart .moment.failed"); all != 3 || failed != 3 {
		t.Errorf("of what failed %d moments are shown, %d failed", all, failed)
	}
}

func tellsAboutAMoment(t *testing.T, p *tab) {
	p.Do(chromedp.Click[browsertest.CSS](".locate"))
	p.wantShown("the failure", 0, 6.6, 0.5)
	if got := p.Text(".detail"); !strings.Contains(got, "expect within 5s: loadBalancers.size() == 1") || !strings.Contains(got, "lb.yaml:12:5") || p.Count(".moment.selected.failed") != 1 {
		t.Errorf("it says %q", got)
	}
	p.Do(chromedp.Click[browsertest.CSS](".chart .lane.faults .moment"))
	if got := p.Text(".detail"); !strings.Contains(got, "faults, 0.550 s after the beginning, for 5.450 s") || !strings.Contains(got, "hits") {
		t.Errorf("a click says %q", got)
	}
	p.Do(chromedp.Click[browsertest.CSS](".list summary"), chromedp.SendKeys[browsertest.CSS](".filter", "unavailable"), chromedp.Click[browsertest.CSS](".list tbody button"))
	if got := p.Text(".detail"); !strings.Contains(got, "<b>bold</b>") {
		t.Errorf("the list says %q", got)
	}
	if got := p.Text(".detail .request"); !strings.HasPrefix(got, "request: POST /v1/load-balancers (application/json 5000 bytes, cut)") || !strings.Contains(got, `{"name":"web"}</script>`) {
		t.Errorf("the request of the call is shown as %q", got)
	}
	if got := p.Text(".detail .response"); got != "response: none (none: the connection was dropped)" {
		t.Errorf("the response that was lost is shown as %q", got)
	}
}

// showsCausality: what an operation of the cloud joins is listed, marked and joined by a line, and can be gone through by keys.
func showsCausality(t *testing.T, p *tab) {
	if p.Count(".relation") != 0 {
		t.Error("there are lines before anything is selected")
	}
	p.Do(chromedp.Click[browsertest.CSS](".list summary"), chromedp.SendKeys[browsertest.CSS](".filter", "web"), chromedp.Click[browsertest.CSS](".list tr:has(.cloud) button"))
	if got := p.Text(".detail .related"); got != "0.800 s calls: CreateLoadBalancer → unavailable (reset)" {
		t.Errorf("the change is joined with %q", got)
	}
	if p.Count(".relation") != 0 || p.Count(".moment.related") != 0 {
		t.Error("there is a line to a call that is filtered out")
	}
	p.empty(".filter")
	if p.Count(".relation") != 1 || p.Count(".calls .moment.related") != 1 || p.Count(".cloud .moment.selected") != 1 {
		t.Errorf("there are %d lines", p.Count(".relation"))
	}
	p.Do(chromedp.Focus[browsertest.CSS](".detail .related button"), chromedp.KeyEvent(kb.Enter))
	if got := p.Text(".detail .related"); got != "0.900 s cloud: lb-1 web created" || p.Count(".calls .moment.selected") != 1 {
		t.Errorf("the call is joined with %q", got)
	}
	if got := eval[string](p, "document.activeElement.textContent"); got != "CreateLoadBalancer → unavailable (reset)" {
		t.Errorf("the focus is on %q", got)
	}
}

// marksTheSource: the line of the scenario whose step was in progress is marked, and leads to the step.
func marksTheSource(t *testing.T, p *tab) {
	source := "#lb-answer-lost .source"
	current := `[...document.querySelectorAll("` + source + ` li")].filter((l) => l.classList.contains("current")).map((l) => l.innerText.trim()).join()`
	p.Do(chromedp.Click[browsertest.CSS]("#lb-answer-lost details:has(.source) summary"), chromedp.Click(browsertest.CSS(source+" .failed .locate")))
	if got := p.Text(".detail h4"); got != "expect within 5s: loadBalancers.size() == 1" {
		t.Errorf("the line leads to %q", got)
	}
	if got := eval[string](p, current); !strings.HasPrefix(got, "- expect") {
		t.Errorf("the marked line is %q", got)
	}
	p.Do(chromedp.Click[browsertest.CSS](".list summary"), chromedp.SendKeys[browsertest.CSS](".filter", "lb-1 web"), chromedp.Click[browsertest.CSS](".list tr:has(.cloud) button"))
	if got := eval[string](p, current); !strings.HasPrefix(got, "- expect") {
		t.Errorf("for a change while the expectation waited the marked line is %q", got)
	}
	p.empty(".filter")
	p.Do(chromedp.SendKeys[browsertest.CSS](".filter", "delete service"), chromedp.Click[browsertest.CSS](".list tbody button"))
	if got := eval[string](p, current); got != "" {
		t.Errorf("for a step of another place the marked line is %q", got)
	}
}

// showsObjects: a change shows what it changed, and every moment the objects as they were then.
func showsObjects(t *testing.T, p *tab) {
	p.Do(chromedp.Click[browsertest.CSS](".list summary"))
	choose := func(filter string) {
		p.empty(".filter")
		p.Do(chromedp.SendKeys[browsertest.CSS](".filter", filter), chromedp.Click[browsertest.CSS](".list tbody button"))
	}
	diff := `document.querySelector(".detail .diff")?.textContent ?? ""`
	choose("lb-2 web created")
	if got, want := eval[string](p, diff), "…\n    \"c\": 3,\n    \"d\": 4,\n−   \"state\": \"new\"\n+   \"state\": \"<b>ready</b>\"\n  }\n"; strings.ReplaceAll(got, "… \n", "…\n") != want {
		t.Errorf("the change shows %q, want %q", got, want)
	}
	if p.Count(".diff .added") != 1 || p.Count(".diff .removed") != 1 || p.Count(".diff b") != 0 {
		t.Error("the lines of the change are not marked, or a state is markup")
	}
	choose("lb-1 web created")
	if got := eval[string](p, diff); !strings.HasPrefix(got, "+ {\n+   \"a\": 1,") || strings.Contains(got, "−") {
		t.Errorf("what is created shows %q", got)
	}
	if got := p.Text(".detail .objects"); !strings.HasPrefix(got, "objects that had changed by 0.900 s: 1lb-1{") || !strings.Contains(got, `"new"`) {
		t.Errorf("the objects are %q", got)
	}
	choose("SyncLoadBalancerFailed")
	if got := eval[string](p, diff); !strings.HasPrefix(got, "− {\n") || strings.Contains(got, "+") {
		t.Errorf("what is gone shows %q", got)
	}
	choose("delete service/web")
	if got := p.Text(".detail .objects"); !strings.HasPrefix(got, "objects that had changed by 5.700 s: 1lb-1{") || !strings.Contains(got, "<b>ready</b>") || eval[string](p, diff) != "" {
		t.Errorf("later the objects are %q", got)
	}
}

// goesThroughTheList by keys alone: the focus stays, and what is chosen shows in the chart, however many are around it.
func goesThroughTheList(t *testing.T, p *tab) {
	p.Do(chromedp.Click[browsertest.CSS](".list summary"), chromedp.SendKeys[browsertest.CSS](".filter", "instance/i-2"))
	p.Do(chromedp.Focus[browsertest.CSS](".list tbody button"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	if got := p.Text(".detail h4"); got != "GetInstance instance/i-20" || p.Count(".moment.selected") != 1 {
		t.Errorf("the second of the list is %q, and %d are marked", got, p.Count(".moment.selected"))
	}
	if got := eval[string](p, "document.activeElement.textContent.slice(0, 80)"); got != "GetInstance instance/i-20" {
		t.Errorf("the focus is on %q", got)
	}
	if got := eval[bool](p, `document.querySelector(".chart .moment.selected").matches(":last-child")`); !got {
		t.Error("what is chosen is drawn over")
	}
}

func findsScenarios(t *testing.T, p *tab) {
	visible := `[...document.querySelectorAll(".scenario")].filter((s) => s.checkVisibility()).map((s) => s.id).join(" ")`
	p.Do(chromedp.SendKeys[browsertest.CSS]("#page-search", "2 load BALANCERS"))
	if got := eval[string](p, visible); got != "lb-answer-lost" {
		t.Errorf("the search finds %q", got)
	}
	p.empty("#page-search")
	p.Do(chromedp.SendKeys[browsertest.CSS]("#page-search", "area=node"))
	if got := eval[string](p, visible); got != "node-initialised" {
		t.Errorf("the search for a label finds %q", got)
	}
	p.Do(chromedp.Click[browsertest.CSS](".status[value=passed]"))
	if got := eval[string](p, visible); got != "" || !eval[bool](p, `document.getElementById("page-none").checkVisibility()`) {
		t.Errorf("without those that passed it finds %q", got)
	}
	p.Do(chromedp.Navigate(p.url + "#node-initialised"))
	p.Await(`document.getElementById("node-initialised").open`) // by an event, which may come after the navigation
}

func lightAndDark(t *testing.T, light, dark *tab) {
	background := `getComputedStyle(document.body).backgroundColor`
	if l, d := eval[string](light, background), eval[string](dark, background); l != "rgb(255, 255, 255)" || d == l {
		t.Errorf("the page is %s in light and %s in dark", l, d)
	}
	dark.Do(chromedp.Click[browsertest.CSS]("#page-theme"))
	if got := eval[string](dark, background); got != "rgb(255, 255, 255)" {
		t.Errorf("the button makes the dark page %s", got)
	}
	dark.Do(chromedp.Click[browsertest.CSS]("#page-theme"))
	if got := eval[string](dark, background); got == "rgb(255, 255, 255)" {
		t.Error("the button does not make it dark again")
	}
}
