// Package console_test looks at the console as people do: in a browser.
package console_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/browsertest"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// hostile is a text that a page which takes texts for markup would run.
const hostile = `<img src=x onerror="document.title='taken'"></script><script>document.title='taken'</script>`

// fill gives a cloud some of each kind that the console shows.
func fill(t *testing.T, api *client.Client) {
	t.Helper()
	ctx := t.Context()
	for i, zone := range []simcloud.ID{"zone-a", "zone-b", "zone-a"} {
		must(t)(api.CreateInstance(ctx, simcloud.InstanceSpec{Name: fmt.Sprintf("web-%d", i+1), Zone: zone, Labels: map[string]string{"app": "web"}}))
	}
	must(t)(api.StopInstance(ctx, "i-3"))
	must(t)(api.CreateInstance(ctx, simcloud.InstanceSpec{Name: "web-4", Zone: "zone-a", UserData: hostile}))
	must(t)(api.CreateLoadBalancer(ctx, simcloud.LoadBalancerSpec{
		Name: "front", Labels: map[string]string{"kubernetes.io/service-uid": "11111111-2222"}, Listeners: []simcloud.ListenerSpec{{Protocol: "tcp", Port: 80, ListenerConfig: simcloud.ListenerConfig{TargetPort: 30080}}}, Targets: []simcloud.TargetSpec{{Instance: "i-1"}, {Instance: "i-3"}},
	}))
	must(t)(api.CreateFloatingIP(ctx, simcloud.FloatingIPSpec{Name: "entry", AttachedTo: simcloud.Attachment{Kind: simcloud.KindInstance, ID: "i-2"}}))
	must(t)(api.CreateVolume(ctx, simcloud.VolumeSpec{Name: "data", SizeGiB: 10, Zone: "zone-a"}))
	must(t)(api.AttachVolume(ctx, "vol-1", simcloud.VolumeAttachment{Instance: "i-1"}))
	must(t)(api.CreateRoute(ctx, "rt-1", simcloud.RouteSpec{Destination: "10.244.1.0/24", NextHop: simcloud.NextHop{Instance: "i-1"}}))
	must(t)(api.CreateSecurityGroup(ctx, simcloud.SecurityGroupSpec{Name: "web", Rules: []simcloud.SecurityGroupRuleSpec{{Protocol: "tcp", FromPort: 80, ToPort: 80, CIDR: "0.0.0.0/0"}}}))
	must(t)(api.CreateSSHKey(ctx, simcloud.SSHKeySpec{Name: "laptop", PublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}))
	must(t)(api.AddFault(ctx, fault.Rule{Name: "lost", Match: fault.Match{Operation: "CreateVolume"}, Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Unavailable}}}))
}

// must fails the test for the error of a call.
func must(t *testing.T) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestConsoleInABrowser(t *testing.T) {
	browser := browsertest.Start(t, "the console", 1500, 1000)
	for name, test := range map[string]func(*testing.T, *tab){
		"Shows": shows, "Follows": follows, "OpensThings": opensThings, "ActsOnMachines": actsOnMachines, "ActsOnZones": actsOnZones,
		"SwitchesFaults": switchesFaults, "AddsFaults": addsFaults, "MovesTheClock": movesTheClock, "TakesTextsForTexts": takesTextsForTexts,
		"Searches": searches, "SearchesTheAPI": searchesTheAPI, "ByKeys": byKeys, "LogsIn": logsIn, "DrawsTheTimeline": drawsTheTimeline, "ComesBack": comesBack,
	} {
		t.Run(name, func(t *testing.T) {
			cloud, api := simtest.Open(t)
			fill(t, api)
			test(t, open(t, browser, cloud, api))
		})
	}
	t.Run("ShowsCluster", func(t *testing.T) { showsCluster(t, browser) })
	t.Run("Looks", func(t *testing.T) { looks(t, browser) })
	t.Run("ManyMachines", func(t *testing.T) { manyMachines(t, browser) })
}

// shows: everything that the cloud has is there.
func shows(t *testing.T, p *tab) {
	p.Await(`document.querySelectorAll(".tile").length === 4`)
	for selector, want := range map[string]string{
		"#grid": "1 machine, 1 running", "#machines-count": "4", "#tables": "front", "#faults": "lost", "#clock": "real clock", "#log": "CreateLoadBalancer", "#cluster": "No Kubernetes cluster is attached",
	} {
		p.AwaitText(selector, want)
	}
	for _, want := range []string{"tcp 80 → 30080", "web-1 healthy", "10.244.1.0/24", "10 GiB", "entry", "SSH keys 1", "laptop", "tcp 80–80 0.0.0.0/0"} {
		if got := p.Text("#tables"); !strings.Contains(got, want) {
			t.Errorf("the tables have no %q: %s", want, got)
		}
	}
	if got := p.Text("[data-machine=i-3]"); got != "web-3i-3 stopped" {
		t.Errorf("the tile shows %q", got)
	}
	if got := p.Text("#tables"); strings.Contains(got, "Service") || p.Count("[hidden] > [data-filter=kubernetes]") != 1 {
		t.Errorf("a cloud alone shows parts of a cluster: %s", got)
	}
	inOrder := `[...document.querySelectorAll("#log time")].map((t) => Date.parse(t.dateTime)).every((time, i, all) => i === 0 || time <= all[i - 1])`
	if p.AwaitText("#log", "created instance/i-4"); !eval[bool](p, inOrder) {
		t.Errorf("what happened before is not in its order: %s", p.Text("#log"))
	}
	if got := eval[string](p, "location.href"); strings.Contains(got, p.token) {
		t.Error("the token stays in the address")
	}
}

// follows: what changes is shown without being asked for.
func follows(t *testing.T, p *tab) {
	ctx := t.Context()
	must(t)(p.api.CreateInstance(ctx, simcloud.InstanceSpec{Name: "late", Zone: "zone-c"}))
	p.AwaitText("#grid", "late")
	must(t)(p.api.SetZoneState(ctx, "zone-c", simcloud.ZoneStateSpec{State: simcloud.ZoneDown}))
	p.AwaitText("[data-machine=i-5]", "running, zone down")
	must(t)(p.api.DeleteInstance(ctx, "i-5"))
	p.Await(`document.querySelector("[data-machine=i-5]") === null`)
	if _, err := p.api.CreateVolume(ctx, simcloud.VolumeSpec{Name: "refused", SizeGiB: 1}); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Fatal(err)
	}
	p.AwaitText("#faults", "hit 1 of 1 call")
	p.AwaitText("#log .call.failed", "CreateVolume")
	must(t)(p.api.SetClock(ctx, simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	p.AwaitText("#clock", "manual clock")
}

// looks takes pictures, and wants no page wider than its window.
func looks(t *testing.T, browser browsertest.Browser) {
	cluster, cloud, api := openCluster(t)
	fill(t, api)
	fillCluster(cluster)
	for _, width := range []int64{1500, 700} {
		for scheme, before := range map[string][]browsertest.Action{"light": nil, "dark": {browsertest.Dark}} {
			t.Run(fmt.Sprintf("%s at %d pixels", scheme, width), func(t *testing.T) {
				p := open(t, browser, cloud, api, append(before, chromedp.EmulateViewport(width, 1000))...)
				p.Await(`document.querySelectorAll(".tile").length === 5`)
				p.Click("[data-machine=i-1]")
				p.AwaitText("#detail", "web-1")
				p.AwaitText("#log", "SyncLoadBalancerFailed")
				p.Await(`document.querySelector("#timeline .mark.Kubernetes.failed")`)
				p.Picture(fmt.Sprintf("console-%d-%s", width, scheme))
				if got := eval[int64](p, "document.scrollingElement.scrollWidth"); got > width {
					t.Errorf("the page is %d pixels wide", got)
				}
				if got := eval[string](p, "getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"; got != (scheme == "light") {
					t.Errorf("its paper is white: %t", got)
				}
			})
		}
	}
}

// opensThings: a click shows the JSON of a thing, its events and its calls, and follows them.
func opensThings(t *testing.T, p *tab) {
	p.Click("[data-machine=i-1]")
	p.AwaitText("#detail h2", "web-1 instance/i-1")
	p.AwaitText("#detail pre", `"hostname": "web-1"`)
	p.AwaitText("#detail", "created instance/i-1")
	p.AwaitText("#detail .related", "load_balancer front")
	if got := p.Text("#detail .related"); strings.Contains(got, "entry") || !strings.Contains(got, "volume data") || !strings.Contains(got, "zone zone-a") {
		t.Errorf("related to it is %q", got)
	}
	must(t)(p.api.RebootInstance(t.Context(), "i-1"))
	p.AwaitText("#detail .entries .call", "RebootInstance")
	name := "renamed"
	must(t)(p.api.UpdateInstance(t.Context(), "i-1", simcloud.InstanceUpdate{Name: &name}))
	p.AwaitText("#detail pre", `"name": "renamed"`)
	must(t)(p.api.DeleteInstance(t.Context(), "i-1"))
	p.AwaitText("#detail h2", "instance/i-1 is gone")
	p.AwaitText("#detail .entries .call", "DeleteInstance") // the journal tells of it on a stream of its own
	p.Click("#detail .entries .call button")
	p.AwaitText("#detail pre", `"operation": "DeleteInstance"`)
	p.AwaitText("#detail", "DELETE /v1/instances/i-1 (no body)")
	p.AwaitText("#detail", "200 (application/json, ")
	p.AwaitText("#detail .entries", "deleted instance/i-1")
	p.Click("#detail .entries .event button")
	p.AwaitText("#detail .entries", "call DeleteInstance instance/i-1")
	p.Click("#detail .close")
	p.Await(`document.getElementById("detail").hidden`)
}

// actsOnMachines: machines are created, stopped and deleted, with the command that does the same beside each act.
func actsOnMachines(t *testing.T, p *tab) {
	p.Click("#create summary")
	p.Await(`document.querySelector("#create option[value=zone-c]")`)
	p.SetField("#create [name=name]", "made")
	p.SetField("#create [name=zone]", "zone-c")
	p.AwaitText("#create .command", "simcloud instance create made --zone zone-c")
	p.Click("#create form > button")
	p.AwaitText("#grid", "made")
	p.AwaitText("#said", "accepted")
	p.Click("[data-machine=i-5]")
	p.AwaitText("#detail .acts", "simcloud instance stop i-5")
	p.Click("#detail [data-act=Stop]")
	p.AwaitText("[data-machine=i-5]", "stopped")
	p.Click("#detail [data-act=Start]")
	p.AwaitText("[data-machine=i-5]", "running")
	p.Click("#detail [data-act=Delete]")
	p.AwaitText("#detail [data-act=Delete]", "Press again")
	if made, err := p.api.GetInstance(t.Context(), "i-5"); err != nil || made.Name != "made" || made.Zone != "zone-c" {
		t.Errorf("one press of the button leaves %+v, %v", made, err)
	}
	p.Click("#detail [data-act=Delete]")
	p.AwaitText("#detail h2", "is gone")
}

func actsOnZones(t *testing.T, p *tab) {
	p.Click(".zone button")
	p.AwaitText("#detail .acts", "simcloud zone down zone-a")
	p.Click("#detail [data-act='Take down']")
	p.AwaitText("[data-machine=i-1]", "zone down")
	p.Click("#detail [data-act='Bring up']")
	p.AwaitText("#detail pre", `"state": "available"`)
	if zone, err := p.api.GetZone(t.Context(), "zone-a"); err != nil || zone.State != simcloud.ZoneAvailable {
		t.Errorf("the zone is %+v, %v", zone, err)
	}
}

// switchesFaults: a rule that is switched off can be switched on again.
func switchesFaults(t *testing.T, p *tab) {
	p.Click("#faults .fault:not(.off) [role=switch]")
	p.Await(`document.querySelector("#faults .fault.off")`)
	if rules, err := p.api.ListFaults(t.Context()); err != nil || len(rules) != 0 {
		t.Errorf("rules %+v, %v", rules, err)
	}
	p.Click("#faults .fault.off [role=switch]")
	p.Await(`document.querySelector("#faults .fault:not(.off)")`)
	if rules, err := p.api.ListFaults(t.Context()); err != nil || len(rules) != 1 || rules[0].Match.Operation != "CreateVolume" {
		t.Errorf("rules %+v, %v", rules, err)
	}
	p.Click("#faults [data-act=Remove]")
	p.Await(`document.querySelector("#faults .fault") === null`)
}

// addsFaults: the command line that is shown is the rule that is added.
func addsFaults(t *testing.T, p *tab) {
	p.Click("#fault-form summary")
	p.SetField("#fault-form [name=preset]", "Answers lost after the change")
	p.SetField("#fault-form [name=times]", "2")
	p.SetField("#fault-form [name=name]", "answers")
	p.AwaitText("#fault-form .command", `simcloud fault add --name answers --operation 'Create*' --times 2 --effect '{"reset":{"when":"after"}}'`)
	p.Click("#fault-form form > button")
	p.AwaitText("#faults", "answers")
	rules, err := p.api.ListFaults(t.Context())
	if err != nil || len(rules) != 2 || rules[1].When.Times != 2 || rules[1].Match.Operation != "Create*" || rules[1].Effect.Reset == nil {
		t.Errorf("rules %+v, %v", rules, err)
	}
	p.SetField("#fault-form [name=effect]", `{"hang": 1`)
	p.Click("#fault-form form > button")
	p.AwaitText("#said.failed", "The effect is not JSON")
}

func movesTheClock(t *testing.T, p *tab) {
	p.SetField("#time [name=mode]", "manual")
	p.AwaitText("#time", "simcloud clock set manual")
	p.Click("#time form:first-child button:not(.copy)")
	p.AwaitText("#clock", "manual clock")
	before, err := p.api.GetClock(t.Context())
	must(t)(nil, err)
	p.SetField("#time [name=by]", "1h")
	p.Click("#time form:nth-child(2) button:not(.copy)")
	p.AwaitText("#said", "simcloud clock advance 1h: accepted")
	if after, err := p.api.GetClock(t.Context()); err != nil || after.Now.Sub(before.Now).Hours() != 1 {
		t.Errorf("the clock went from %s to %s, %v", before.Now, after.Now, err)
	}
}

// takesTextsForTexts: what others write is never markup, wherever it is shown.
func takesTextsForTexts(t *testing.T, p *tab) {
	stranger := simtest.Dial(t, client.Config{Endpoint: p.url, Token: p.token, UserAgent: hostile})
	must(t)(stranger.AddFault(t.Context(), fault.Rule{Name: "x", Match: fault.Match{Caller: hostile, Operation: "CreateNetwork"}, Effect: fault.Effect{Error: &fault.Problem{Code: simcloud.Internal, Message: hostile}}}))
	if _, err := stranger.CreateNetwork(t.Context(), simcloud.NetworkSpec{Name: "n", CIDRs: []string{"10.9.0.0/16"}}); err == nil {
		t.Fatal("the fault rule does not fire")
	}
	must(t)(stranger.CreateSecurityGroup(t.Context(), simcloud.SecurityGroupSpec{Name: "sg", Description: hostile}))
	p.AwaitText("#log .call.failed", hostile)
	p.AwaitText("#faults", "hit 1 of 1 call")
	p.AwaitText("#tables", "sg")
	p.Click("#log .call.failed button")
	p.AwaitText("#detail pre", `onerror=\"document.title='taken'\"`)
	if got := eval[string](p, "document.title"); got != "simcloud" || p.Count("main img, main script, output img") != 0 {
		t.Errorf("a text became a part of the page, whose title is %q", got)
	}
}

// searchesTheAPI: the page of the API leaves the operations that have the words, on both of its sides, and nothing of it lasts.
func searchesTheAPI(t *testing.T, p *tab) {
	p.Do(chromedp.Navigate(p.url + "/docs"))
	p.Await(`document.querySelectorAll(".operation").length > 100`)
	const shown = `[...document.querySelectorAll(".operation")].filter((o) => o.checkVisibility()).map((o) => o.id).join(" ")`
	all := eval[string](p, shown)
	p.SetField("#search", "/_sim/journal CLEARjournal")
	p.Await(shown + ` === "ClearJournal"`)
	if got := eval[string](p, `[...document.querySelectorAll("nav li[data-operation]")].filter((o) => o.checkVisibility()).map((o) => o.dataset.operation).join(" ")`); got != "ClearJournal" {
		t.Errorf("beside the page there is %q", got)
	}
	p.SetField("#search", "no-such-word")
	p.Await(`document.getElementById("none").checkVisibility()`)
	p.SetField("#search", "")
	p.Await(fmt.Sprintf("%s === %q", shown, all))
	p.Do(chromedp.Navigate(p.url + "/docs#CreateLoadBalancer"))
	p.Await(`document.querySelector("#CreateLoadBalancer .answer").checkVisibility()`)
	p.Picture("api")
}

func searches(t *testing.T, p *tab) {
	p.SetField("#search", "APP=web stopped")
	p.AwaitText("#machines-count", "1 of 4")
	if got := p.Text(".tile"); got != "web-3i-3 stopped" {
		t.Errorf("the search finds %q", got)
	}
	p.SetField("#search", "")
	p.AwaitText("#machines-count", "4")
	must(t)(p.api.ListVolumes(t.Context(), simcloud.ListOptions{}))
	p.Click("[data-filter=reads]")
	p.AwaitText("#log", "ListVolumes")
	p.SetField("#log-search", "listVOL")
	p.Await(`document.querySelectorAll("#log li").length === 1`)
	if strings.Contains(p.Text("#log"), "GetState") {
		t.Error("the console's own calls are shown unasked")
	}
	p.Click("[data-filter=pause]")
	must(t)(p.api.SetClock(t.Context(), simcloud.ClockSpec{Mode: simcloud.ClockManual}))
	p.AwaitText("#clock", "manual clock") // the call has come
	if p.SetField("#log-search", ""); strings.Contains(p.Text("#log"), "SetClock") {
		t.Error("the list goes on while it is paused")
	}
	p.Click("[data-filter=pause]")
	p.AwaitText("#log", "SetClock")
	p.SetField("#log-search", "GetState")
	p.Click("[data-filter=own]")
	p.AwaitText("#log", "GetState")
}

// byKeys: a user without a mouse gets to each machine, opens it, closes it, and is where it was.
func byKeys(t *testing.T, p *tab) {
	focused := func(want string) {
		t.Helper()
		p.Await(fmt.Sprintf("document.activeElement.dataset.machine === %q", want))
	}
	p.Await(`document.querySelectorAll(".tile").length === 4`)
	p.Do(chromedp.Focus[css]("[data-machine=i-1]"), chromedp.KeyEvent(kb.End))
	focused("i-2")
	p.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	focused("i-3")
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.AwaitText("#detail h2", "web-3")
	p.Await(`document.activeElement.id === "detail"`)
	p.Do(chromedp.KeyEvent(kb.Escape))
	focused("i-3")
	p.Do(chromedp.KeyEvent("/"))
	p.Await(`document.activeElement.id === "search"`)
	unnamed := eval[[]string](p, `[...document.querySelectorAll("button, input, select")].filter((e) => !e.ariaLabel && !e.textContent.trim() && !e.labels?.length).map((e) => e.outerHTML)`)
	if len(unnamed) > 0 {
		t.Errorf("without a name for screen readers: %q", unnamed)
	}
}

// logsIn: without a link, or with a token that is not good, the console asks for one.
func logsIn(t *testing.T, p *tab) {
	p.Do(chromedp.Reload())
	p.Await(`document.getElementById("live").textContent === "live"`) // the tab remembers its token
	eval[bool](p, `(sessionStorage.clear(), true)`)
	p.Do(chromedp.Reload())
	p.Await(`!document.getElementById("login").hidden && document.getElementById("main").hidden`)
	p.SetField("#login-token", p.token)
	p.Click("#login button")
	p.Await(`document.getElementById("live").textContent === "live"`)
}

// comesBack: what happened while a tab was not seen is there when it is seen again.
func comesBack(t *testing.T, p *tab) {
	see := func(hidden bool) {
		eval[bool](p, fmt.Sprintf(`(Object.defineProperty(document, "hidden", {value: %t, configurable: true}), document.dispatchEvent(new Event("visibilitychange")))`, hidden))
	}
	see(true)
	must(t)(p.api.DeleteInstance(t.Context(), "i-2"))
	must(t)(p.api.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "meanwhile"}))
	see(false)
	p.AwaitText("#grid", "meanwhile")
	p.Await(`document.querySelector("[data-machine=i-2]") === null`)
	p.AwaitText("#log", "CreateInstance instance/i-5")
}

// manyMachines: of thousands of machines only those that are seen are in the page, and one change costs as few.
func manyMachines(t *testing.T, browser browsertest.Browser) {
	cluster, cloud, api := openCluster(t)
	for i := range 5000 {
		cluster.SetNode(console.Node{ID: fmt.Sprintf("n-%04d", i), Name: fmt.Sprintf("n-%04d", i), State: "Ready", ProviderID: fmt.Sprintf("simcloud:///i-%d", i+1)})
	}
	for i := range 1000 {
		cluster.AddEvent(time.Now().Add(time.Duration(-i)*300*time.Millisecond), "Pod", "default/p", "Normal", console.Event{Reason: "Pulled"})
	}
	must(t)(api.CreateInstance(t.Context(), simcloud.InstanceSpec{Name: "n-0000", Zone: "zone-a"}))
	for range 400 {
		must(t)(api.ListZones(t.Context(), simcloud.ListOptions{}))
	}
	p := openAt(t, browser, &tab{url: crowded(t, cloud, 5000), token: cloud.Token(), api: api})
	p.AwaitText("#machines-count", "5000")
	p.AwaitText("#cluster", "5000 Nodes, 5000 ready")
	const stream = "/_sim/journal/events?after="
	waittest.For(t, "the page to follow the journal", func() bool { return p.askedFor(stream) != "" })
	if got := p.askedFor(stream); got == "0" {
		t.Errorf("the page reads the journal after %q: want the latest calls alone", got)
	}
	p.AwaitText("#grid", "n-0000")
	p.Await(`document.querySelector("#timeline .mark.Kubernetes")`)
	if all, marks := p.Count("#timeline *"), p.marks("Kubernetes"); all > 150 || marks < 40 || marks > 60 {
		t.Errorf("of 1,000 events in 5 minutes the timeline has %d marks, and %d elements in all", marks, all)
	}
	if got := p.Count(".tile"); got < 10 || got > 300 {
		t.Errorf("%d tiles are in the page", got)
	}
	if got := p.Count("*"); got > 3000 {
		t.Errorf("%d elements are in the page", got)
	}
	eval[bool](p, `((window.made = 0), new MutationObserver((all) => { for (const m of all) window.made += m.addedNodes.length; }).observe(document.getElementById("grid"), {subtree: true, childList: true}), true)`)
	must(t)(api.StopInstance(t.Context(), "i-1"))
	p.AwaitText(".tile", "stopped")
	cluster.SetNode(console.Node{ID: "n-0000", Name: "n-0000", State: "NotReady", ProviderID: "simcloud:///i-1"})
	p.AwaitText("[data-machine=i-1]", "NotReady")
	if got := eval[int](p, "window.made"); got > 20 {
		t.Errorf("one change of one machine made %d nodes", got)
	}
	eval[bool](p, `((document.getElementById("grid").scrollTop = 1e9), true)`)
	p.AwaitText("#grid", "n-4997")
	if got := p.Count(".tile"); got > 300 {
		t.Errorf("%d tiles are in the page after it was scrolled", got)
	}
	p.SetField("#search", "n-2500")
	p.AwaitText("#machines-count", "1 of 5000")
	p.Picture("console-5000")
}

// crowded is the URL of a cloud whose state has so many machines, all like its first. The cloud itself is not
// what is tested, and takes long to make them under the race detector.
func crowded(t *testing.T, cloud *sim.Cloud, machines int) string {
	t.Helper()
	target, err := url.Parse(cloud.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0) // the page leaves its streams
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/_sim/state" {
			proxy.ServeHTTP(w, r)
			return
		}
		state, err := cloud.Core().GetState(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		for i := len(state.Instances); i < machines; i++ {
			machine := state.Instances[0]
			machine.ID, machine.Name = simcloud.ID(fmt.Sprintf("i-%d", i+1)), fmt.Sprintf("n-%04d", i)
			machine.Zone = simcloud.ID("zone-" + string(rune('a'+i%3)))
			state.Instances = append(state.Instances, machine)
		}
		_ = json.NewEncoder(w).Encode(state) // a client that has gone is not our concern
	}))
	t.Cleanup(front.Close)
	return front.URL
}
