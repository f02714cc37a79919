package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/browsertest"
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
func showsCluster(t *testing.T, browser browsertest.Browser) {
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
	if got := eval[string](p, "document.title"); got != "simcloud" || p.Count("main img, main script, output img") != 0 {
		t.Errorf("a text became a part of the page, whose title is %q", got)
	}
}

func showsNodes(t *testing.T, p *tab) {
	p.AwaitText("#cluster", "4 Nodes, 2 ready")
	for machine, want := range map[string]string{
		"[data-machine=i-1]": "web-1i-1 runningReady", "[data-machine=i-2]": "web-2i-2 runningReady, uninitialized", "[data-machine=i-3]": "web-3i-3 stoppedNotReady, shutdown",
		"[data-machine=i-4]": "web-4i-4 runningno Node", "[data-machine^='node/']": hostile + "no machineNotReady",
	} {
		p.Await(fmt.Sprintf("document.querySelector(%q)", machine))
		if got := p.Text(machine); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s shows %q, want %q", machine, got, want)
		}
	}
	for selector, want := range map[string]string{
		"#cluster": "Kubernetes: 4 Nodes, 2 ready", "#grid": "3 machines, 2 running; 2 Nodes, 1 ready", "#log .kubernetes.failed": "SyncLoadBalancerFailed service/default/front " + hostile + ", 2 times service-controller",
		"#load_balancer-title ~ .wide tbody": "default/front", "#service-title ~ .wide tbody": "front",
	} {
		p.AwaitText(selector, want)
	}
}

// followsNodes: what changes in the cluster is shown without being asked for.
func followsNodes(t *testing.T, p *tab, cluster *console.Cluster) {
	cluster.SetNode(console.Node{ID: "web-1", Name: "web-1", State: "Ready", Taints: []string{shutdown}, ProviderID: "simcloud://region/zone-a/i-1"})
	p.AwaitText("[data-machine=i-1]", "Ready, shutdown")
	p.AwaitText("#log", "kubernetes changed node/web-1 +"+shutdown)
	p.Click("[data-machine=i-1]")
	p.AwaitText("#detail", "Node: Ready, shutdown")
	p.AwaitText("#detail .kubernetes", "changed node/web-1")
	p.AwaitText("#detail .related", "node web-1")
	p.Click("#detail .related button")
	p.AwaitText("#detail h2", "web-1 node/web-1")
	p.AwaitText("#detail .related", "instance web-1")
	must(t)(p.api.DeleteInstance(t.Context(), "i-1"))
	p.AwaitText("[data-machine='node/web-1']", "no machine")
	cluster.RemoveNode("web-1")
	p.AwaitText("#detail h2", "node/web-1 is gone")
	p.Await(`document.querySelector("[data-machine='node/web-1']") === null`)
	p.Click("#service-title ~ .wide tbody th button")
	p.AwaitText("#detail .entries .kubernetes", "SyncLoadBalancerFailed")
	p.AwaitText("#detail .related", "load_balancer front")
	p.SetField("#search", "uninitialized")
	p.AwaitText("#machines-count", "1 of 3")
	p.SetField("#search", "")
	cluster.SetTrouble("nodes", hostile)
	p.AwaitText("#cluster.failed", "does not answer: nodes: "+hostile)
	cluster.SetTrouble("nodes", "")
	p.AwaitText("#cluster", "Kubernetes: 3 Nodes")
	must(t)(p.api.SetZoneState(t.Context(), "zone-c", simcloud.ZoneStateSpec{State: simcloud.ZoneDown})) // the page follows both
	p.AwaitText("#log", "SetZoneState zone/zone-c")
}

// marks are how many marks a lane of the timeline has.
func (p *tab) marks(lane string) int {
	p.T.Helper()
	return p.Count("#timeline .mark." + lane)
}

// drawsTheTimeline: each lane has its marks, which a user without a mouse zooms, moves, steps through and opens.
func drawsTheTimeline(t *testing.T, p *tab) {
	if _, err := p.api.CreateVolume(t.Context(), simcloud.VolumeSpec{Name: "refused", SizeGiB: 1}); simcloud.CodeOf(err) != simcloud.Unavailable {
		t.Fatal(err)
	}
	p.Await(`document.querySelector("#timeline .mark.faults.failed") && document.querySelector("#timeline .mark.calls.failed")`)
	if p.marks("cloud") == 0 || p.marks("Kubernetes") != 0 || strings.Contains(p.Text("#timeline"), "Kubernetes") {
		t.Errorf("the timeline shows %q with %d changes", p.Text("#timeline"), p.marks("cloud"))
	}
	p.Do(chromedp.Focus[css]("#timeline .chart"), chromedp.KeyEvent("+"))
	p.AwaitText("#timeline", "to now, 1 minute")
	p.Do(chromedp.KeyEvent("p"))
	p.Await(`document.querySelector("#timeline .mark.selected") && document.querySelector("#timeline output").textContent !== ""`)
	for range 3 { // whatever came last, the marks end with those of the call
		p.Do(chromedp.KeyEvent("n"))
	}
	latest := p.Text("#timeline output")
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Await(`!document.getElementById("detail").hidden`)
	if title := strings.Fields(p.Text("#detail-title")); len(title) != 2 || !strings.Contains(latest, title[1]) {
		t.Errorf("%q opens %q", latest, title)
	}
	p.Do(chromedp.KeyEvent(kb.Escape))
	p.Await(`document.activeElement.classList.contains("chart")`)
	p.Do(chromedp.KeyEvent(kb.ArrowLeft))
	p.Await(`!document.querySelector("#timeline").textContent.includes("to now")`)
	p.Do(chromedp.KeyEvent("0"))
	p.AwaitText("#timeline", "to now, 5 minutes")
	p.Click("[data-filter=calls]")
	p.Await(`document.querySelector("#timeline .mark.calls") === null && document.querySelector("#timeline .mark.cloud")`)
}
