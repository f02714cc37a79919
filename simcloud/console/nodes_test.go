package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// openCluster opens a cloud with a cluster on it.
func openCluster(t *testing.T) (*console.Cluster, *sim.Cloud, *client.Client) {
	t.Helper()
	cluster := &console.Cluster{}
	cloud, api := simtest.Open(t, func(cfg *sim.Config) { cfg.Cluster = cluster })
	return cluster, cloud, api
}

// The taints of a Node that the CCM has not seen yet, and of one whose machine is off.
const (
	uninitialized = "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"
	shutdown      = "node.cloudprovider.kubernetes.io/shutdown:NoSchedule"
)

// fillCluster gives the cluster Nodes of the machines of fill, one that has none, a Service and an Event.
func fillCluster(cluster *console.Cluster) {
	for _, node := range []console.Node{
		{Name: "web-1", State: "Ready", ProviderID: "simcloud://region/zone-a/i-1"},
		{Name: "web-2", State: "Ready", Taints: []string{uninitialized}},
		{Name: "web-3", State: "NotReady", Taints: []string{shutdown}, ProviderID: "simcloud://region/zone-a/i-3"},
		{Name: hostile, State: "NotReady", ProviderID: "simcloud://region/zone-a/i-99"},
	} {
		node.ID = node.Name
		cluster.SetNode(node)
	}
	cluster.SetService(console.Service{ID: "default/front", Name: "default/front", UID: "11111111-2222", Ports: []string{"80→30080/TCP"}, Addresses: []string{"198.51.100.1"}})
	cluster.AddEvent(time.Now(), "Service", "default/front", "Warning", console.Event{Reason: "SyncLoadBalancerFailed", Message: hostile, From: "service-controller", Count: 2})
}

// showsCluster: the machines have their Nodes, load balancers their Services, and what happens in the cluster is in the list.
func showsCluster(t *testing.T, browser context.Context) {
	cluster, cloud, api := openCluster(t)
	fill(t, api)
	must(t)(api.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "a333333334444"}))
	must(t)(api.CreateLoadBalancer(t.Context(), simcloud.LoadBalancerSpec{Name: "stranger", Labels: map[string]string{"of": "default/other-uid"}}))
	fillCluster(cluster)
	cluster.SetService(console.Service{ID: "default/other", Name: "default/other", UID: "33333333-4444"})
	p := open(t, browser, cloud, api)
	showsNodes(t, p)
	const pairs = `[...document.querySelectorAll("#load_balancer-title ~ .wide tbody tr, #service-title ~ .wide tbody tr")].map((row) => row.querySelector("th").textContent + " " + [...row.querySelectorAll("td button")].map((b) => b.textContent)).join("; ")`
	if got := eval[string](p, pairs); got != "a333333334444 default/other; front default/front; stranger ; default/front front; default/other a333333334444" {
		t.Errorf("load balancers and Services belong together as %q", got)
	}
	followsNodes(t, p, cluster)
	if got := eval[string](p, "document.title"); got != "simcloud" || p.count("main img, main script, output img") != 0 {
		t.Errorf("a text became a part of the page, whose title is %q", got)
	}
}

func showsNodes(t *testing.T, p *tab) {
	p.awaitText("#cluster", "4 Nodes, 2 ready")
	for machine, want := range map[string]string{
		"[data-machine=i-1]": "web-1i-1 runningReady", "[data-machine=i-2]": "web-2i-2 runningReady, uninitialized", "[data-machine=i-3]": "web-3i-3 stoppedNotReady, shutdown",
		"[data-machine=i-4]": "web-4i-4 runningno Node", "[data-machine^='node/']": hostile + "no machineNotReady",
	} {
		p.await(fmt.Sprintf("document.querySelector(%q)", machine))
		if got := p.text(machine); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s shows %q, want %q", machine, got, want)
		}
	}
	for selector, want := range map[string]string{
		"#cluster": "Kubernetes: 4 Nodes, 2 ready", "#grid": "3 machines, 2 running; 2 Nodes, 1 ready", "#log .kubernetes.failed": "SyncLoadBalancerFailed service/default/front " + hostile + ", 2 times service-controller",
		"#load_balancer-title ~ .wide tbody": "default/front", "#service-title ~ .wide tbody": "front",
	} {
		p.awaitText(selector, want)
	}
}

// followsNodes: what changes in the cluster is shown without being asked for.
func followsNodes(t *testing.T, p *tab, cluster *console.Cluster) {
	cluster.SetNode(console.Node{ID: "web-1", Name: "web-1", State: "Ready", Taints: []string{shutdown}, ProviderID: "simcloud://region/zone-a/i-1"})
	p.awaitText("[data-machine=i-1]", "Ready, shutdown")
	p.awaitText("#log", "kubernetes changed node/web-1 +"+shutdown)
	p.click("[data-machine=i-1]")
	p.awaitText("#detail", "Node: Ready, shutdown")
	p.awaitText("#detail .kubernetes", "changed node/web-1")
	p.awaitText("#detail .related", "node web-1")
	p.click("#detail .related button")
	p.awaitText("#detail h2", "web-1 node/web-1")
	p.awaitText("#detail .related", "instance web-1")
	must(t)(p.api.DeleteInstance(t.Context(), "i-1"))
	p.awaitText("[data-machine='node/web-1']", "no machine")
	cluster.RemoveNode("web-1")
	p.awaitText("#detail h2", "node/web-1 is gone")
	p.await(`document.querySelector("[data-machine='node/web-1']") === null`)
	p.click("#service-title ~ .wide tbody th button")
	p.awaitText("#detail .entries .kubernetes", "SyncLoadBalancerFailed")
	p.awaitText("#detail .related", "load_balancer front")
	p.setField("#search", "uninitialized")
	p.awaitText("#machines-count", "1 of 3")
	p.setField("#search", "")
	cluster.SetTrouble("nodes", hostile)
	p.awaitText("#cluster.failed", "does not answer: nodes: "+hostile)
	cluster.SetTrouble("nodes", "")
	p.awaitText("#cluster", "Kubernetes: 3 Nodes")
	must(t)(p.api.SetZoneState(t.Context(), "zone-c", simcloud.ZoneStateSpec{State: simcloud.ZoneDown})) // the page follows both
	p.awaitText("#log", "SetZoneState zone/zone-c")
}

// marks are how many marks a lane of the timeline has.
func (p *tab) marks(lane string) int {
	p.t.Helper()
	return p.count("#timeline .mark." + lane)
}

// drawsTheTimeline: each lane has its marks, which a user without a mouse zooms, moves, steps through and opens.
func drawsTheTimeline(t *testing.T, p *tab) {
	if _, err := p.api.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "refused", SizeGiB: 1}); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Fatal(err)
	}
	p.await(`document.querySelector("#timeline .mark.faults.failed") && document.querySelector("#timeline .mark.calls.failed")`)
	if p.marks("cloud") == 0 || p.marks("Kubernetes") != 0 || strings.Contains(p.text("#timeline"), "Kubernetes") {
		t.Errorf("the timeline shows %q with %d changes", p.text("#timeline"), p.marks("cloud"))
	}
	p.do(chromedp.Focus[css]("#timeline .chart"), chromedp.KeyEvent("+"))
	p.awaitText("#timeline", "to now, 1 minute")
	p.do(chromedp.KeyEvent("p"))
	p.await(`document.querySelector("#timeline .mark.selected") && document.querySelector("#timeline output").textContent !== ""`)
	for range 3 { // whatever came last, the marks end with those of the call
		p.do(chromedp.KeyEvent("n"))
	}
	latest := p.text("#timeline output")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.await(`!document.getElementById("detail").hidden`)
	if title := strings.Fields(p.text("#detail-title")); len(title) != 2 || !strings.Contains(latest, title[1]) {
		t.Errorf("%q opens %q", latest, title)
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	p.await(`document.activeElement.classList.contains("chart")`)
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.await(`!document.querySelector("#timeline").textContent.includes("to now")`)
	p.do(chromedp.KeyEvent("0"))
	p.awaitText("#timeline", "to now, 5 minutes")
	p.click("[data-filter=calls]")
	p.await(`document.querySelector("#timeline .mark.calls") === null && document.querySelector("#timeline .mark.cloud")`)
}
