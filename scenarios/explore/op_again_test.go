package explore

import (
	"reflect"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// legalIn are the ops of a history that can happen.
func legalIn(nodes int, ops ...Op) []Op { return History{Nodes: nodes, Ops: ops}.legal().Ops }

// TestLegal: an op happens only where what follows is the CCM's responsibility, and what it is about is there.
func TestLegal(t *testing.T) {
	t.Parallel()
	ready := []Op{check{part: partNodes}}
	served := []Op{check{part: partNodes}, addService{name: "web-1", ports: 1}, check{part: partTargets}}
	late := []Op{check{part: partNodes}, addUnseenVM{name: "node-3"}, clearFaults{}, forbids()[0]}
	for name, test := range map[string]struct {
		before []Op
		op     Op
		legal  bool
	}{
		"a VM that no CCM knows is not replaced":        {nil, replaceVM{name: "node-1"}, false},
		"one that is known is":                          {ready, replaceVM{name: "node-1"}, true},
		"a VM does not return while a CCM cannot work":  {append(ready, arm{operation: "*", effects: "{error: {code: forbidden}}"}), returnVM{name: "node-1"}, false},
		"nor while it sees Nodes late":                  {append(ready, delayAPI{verb: "watch", resource: "nodes"}), returnVM{name: "node-1"}, false},
		"a VM without a machine has no Node to exclude": {append(ready, replaceVM{name: "node-1"}, check{part: partNodes}), exclude{of("node-1")}, false},
		"nor a route":                                         {append(ready, replaceVM{name: "node-1"}, check{part: partNodes}, check{part: partRoutes}), dropRoute{of("node-1")}, false},
		"nothing starts in a zone that is down":               {append(ready, stopVM{named: of("node-1")}, zoneDown{of("node-2")}), startVM{of("node-1")}, false},
		"a zone that is down silences what is not known":      {append(ready, zoneDown{of("node-2")}), silence{of("node-1")}, false},
		"no zone is up that was not down":                     {ready, zoneUp{}, false},
		"a Service that a CCM can delete is not changed":      {append(served, deleteService{of("web-1")}), changeDeleted{of("web-1")}, false},
		"one that no CCM can delete is":                       {append(served, ccmDo{verb: "stop"}, deleteService{of("web-1")}), changeDeleted{of("web-1")}, true},
		"until a CCM can":                                     {append(served, ccmDo{verb: "stop"}, deleteService{of("web-1")}, ccmDo{verb: "start"}), changeDeleted{of("web-1")}, false},
		"one that had no finalizer is gone":                   {append(ready, addService{name: "web-1", ports: 1}, ccmDo{verb: "stop"}, deleteService{of("web-1")}), changeDeleted{of("web-1")}, false},
		"a target that no Node is cannot be dropped":          {append(served, exclude{of("node-1")}, exclude{of("node-2")}), dropTarget{of("web-1")}, false},
		"a load balancer without targets is not drawn from":   {served, dropTarget{of("web-1")}, true},
		"a Service that is seen late is not replaced":         {append(served, delayAPI{verb: "watch", resource: "services"}), replaceService{of("web-1")}, false},
		"what nothing has disturbed is not touched":           {served, nudge{of("web-1")}, false},
		"what others have changed is":                         {append(served, dropListener{of("web-1")}), nudge{of("web-1")}, true},
		"and what may be late after errors":                   {append(served, ccmDo{verb: "kill"}, ccmDo{verb: "start"}), nudge{of("web-1")}, true},
		"a Node is late after errors":                         {append(late, allow{}), check{part: partNodes}, false},
		"and is touched":                                      {append(late, allow{}), touchNode{of("node-3")}, true},
		"then a CCM can be held to it":                        {append(late, allow{}, touchNode{of("node-3")}), check{part: partNodes}, true},
		"one that is initialised is not touched":              {append(ready, forbids()[0], allow{}), touchNode{of("node-1")}, false},
		"nor one without errors":                              {append(ready, addVM{name: "node-3"}), touchNode{of("node-3")}, false},
		"while a Node comes no Service is touched":            {append(served, ccmDo{verb: "kill"}, ccmDo{verb: "start"}, addVM{name: "node-3"}), nudge{of("web-1")}, false},
		"no Node is a target again before that is seen":       {append(served, exclude{of("node-1")}, lagAPI{kind: "stale", resources: "nodes"}), include{of("node-1")}, false},
		"nor while no CCM looks":                              {append(served, exclude{of("node-1")}, ccmDo{verb: "pause"}), include{of("node-1")}, false},
		"ranges that are there are not asked for again":       {append(served, changeRanges{changing{of("web-1")}, 2}), changeRanges{changing{of("web-1")}, 2}, false},
		"a machine that says nothing does not begin again":    {append(ready, silence{of("node-1")}), rebootVM{of("node-1")}, false},
		"one namespace more is enough":                        {append(served, serviceElsewhere{name: "web-1"}), serviceElsewhere{name: "web-1"}, false},
		"no Node is excluded while calls may fail for long":   {append(served, arm{operation: "*", effects: "{error: {code: rate_limited, retryAfter: 1s}}"}), exclude{of("node-1")}, false},
		"a Node that is not excluded cannot be included":      {ready, include{of("node-1")}, false},
		"an address of the other family comes once":           {append(ready, addAddress{of("node-1")}), addAddress{of("node-1")}, false},
		"a VM without a public address has none to move":      {append(ready, addVM{name: "node-3", bare: true}, check{part: partNodes}), moveVM{of("node-3")}, false},
		"no VM is resized that no CCM knows":                  {[]Op{addVM{name: "node-3"}}, resizeVM{name: "node-3"}, false},
		"one that is known is resized":                        {ready, resizeVM{name: "node-1"}, true},
		"a resized one has to be known again":                 {append(ready, resizeVM{name: "node-1"}), resizeVM{name: "node-1"}, false},
		"a Service that has nothing has no rival":             {append(ready, addService{name: "web-1", ports: 1}), rivalService{name: "web-1", wants: wantsAddress}, false},
		"one that is served has":                              {served, rivalService{name: "web-1", wants: wantsAddress}, true},
		"no rival is refused by a CCM that is down":           {append(served, ccmDo{verb: "stop"}), rivalService{name: "web-1", wants: wantsBalancer}, false},
		"the name of a shared load balancer is not taken":     {append(served, foreignTarget{name: "web-1"}), nameTaken{name: "web-1"}, false},
		"one other cluster is enough":                         {append(served, nameTaken{name: "web-1"}, addService{name: "web-2", ports: 1}, check{part: partTargets}), nameTaken{name: "web-2"}, false},
		"what others have parts in does not fail":             {append(served, foreignTarget{name: "web-1"}), breakBalancer{of("web-1")}, false},
		"no route is refused while the CCM sees Nodes late":   {append(ready, check{part: partRoutes}, delayAPI{verb: "watch", resource: "nodes"}), fullTable{name: "node-3"}, false},
		"pages are small once":                                {append(ready, smallPages{}), smallPages{}, false},
		"small pages are no failure":                          {append(ready, smallPages{}), check{part: partNodes}, true},
		"an address moves once":                               {append(ready, moveVM{of("node-1")}), moveVM{of("node-1")}, false},
		"what is shown late is not shown late once more":      {append(ready, lagAPI{kind: "stale", resources: "nodes"}), travelAPI{resources: "nodes", back: 2}, false},
		"a Service is not replaced that is shown late":        {append(served, lagAPI{kind: "stale", resources: "services"}), replaceService{of("web-1")}, false},
		"a CCM catches up with what it was shown late":        {append(ready, travelAPI{resources: "nodes", back: 2}), catchUpAPI{}, true},
		"and with nothing else":                               {ready, catchUpAPI{}, false},
		"an old list of Nodes would cost targets":             {served, travelAPI{resources: "nodes, services", back: 2}, false},
		"and a Node that is not the first of its name":        {append(ready, returnVM{name: "node-1"}), travelAPI{resources: "nodes", back: 2}, false},
		"nor one that a Service of the same name was before":  {append(served, replaceService{of("web-1")}), travelAPI{resources: "services", back: 2}, false},
		"an old list of Services costs nothing":               {served, travelAPI{resources: "services", back: 2}, true},
		"no CCM starts again that the cloud may refuse":       {append(ready, arm{operation: "*", effects: "{error: {code: forbidden}}"}), travelAPI{resources: "nodes", back: 2}, false},
		"requests that are delayed are not delayed once more": {append(ready, delayAPI{verb: "get", resource: "nodes"}), delayAPI{verb: "get", resource: "nodes"}, false},
	} {
		ops := append(append([]Op(nil), test.before...), test.op)
		got := legalIn(2, ops...)
		if legal := len(got) == len(ops); legal != test.legal || len(got) < len(test.before) {
			t.Errorf("%s: legal is %t, of %d ops %d are", name, legal, len(ops), len(got))
		}
	}
}

// TestSettingsAreAskedFor: what a Service asks for is put to the test at the end, and nothing else that takes a capability.
func TestSettingsAreAskedFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ops  []Op
		want []part
	}{
		"nothing":          {[]Op{addService{name: "web-1", ports: 1}}, nil},
		"from the start":   {[]Op{addService{name: "web-1", ports: 1, sticky: true, ranges: 1}}, []part{partSources, partAffinity}},
		"later":            {[]Op{addService{name: "web-1", ports: 1}, changePolicy{changing{of("web-1")}}, changeFamilies{changing{of("web-1")}}}, []part{partHealth, partFamilies}},
		"no address":       {[]Op{addVM{name: "node-2", bare: true}}, []part{partAddresses}},
		"one more":         {[]Op{check{part: partNodes}, addAddress{of("node-1")}}, []part{partAddresses}},
		"an address":       {[]Op{check{part: partNodes}, moveVM{of("node-1")}}, []part{partAddresses}},
		"and given up":     {[]Op{addService{name: "web-1", ports: 1, ranges: 2}, changeRanges{changing{of("web-1")}, 0}}, []part{partSources}},
		"by one that goes": {[]Op{addService{name: "web-1", ports: 1, dual: true}, deleteService{of("web-1")}}, []part{partFamilies}},
	} {
		var got []part
		for _, op := range everything().finished(History{Nodes: 1, Ops: test.ops}).Ops {
			if c, is := op.(check); is && promiseOf(c.part).needs != "" {
				got = append(got, c.part)
			}
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestSettingsChange: a setting is asked for where it was not, and given up where it was.
func TestSettingsChange(t *testing.T) {
	t.Parallel()
	h := History{Nodes: 1, Ops: []Op{
		addService{name: "web-1", ports: 2, local: true, sticky: true, dual: true, ranges: 2},
		changeRanges{changing{of("web-1")}, 0}, changeAffinity{changing{of("web-1")}}, changePolicy{changing{of("web-1")}}, changeFamilies{changing{of("web-1")}},
		changeRanges{changing{of("web-1")}, 1}, changeAffinity{changing{of("web-1")}}, changePolicy{changing{of("web-1")}}, changeFamilies{changing{of("web-1")}},
	}}
	text := string(h.write(title{name: "history", description: "d"}).text)
	at := 0
	for _, want := range []string{
		"externalTrafficPolicy: Local, sessionAffinity: ClientIP, ipFamilyPolicy: RequireDualStack, ipFamilies: [IPv4, IPv6], loadBalancerSourceRanges: [10.0.0.0/8, 192.0.2.0/24]",
		"loadBalancerSourceRanges: null", "sessionAffinity: None", "externalTrafficPolicy: Cluster", "ipFamilyPolicy: SingleStack",
		"loadBalancerSourceRanges: [10.0.0.0/8]", "sessionAffinity: ClientIP", "externalTrafficPolicy: Local", "ipFamilyPolicy: RequireDualStack",
	} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("%s\nlacks %s", text[at:], want)
		}
		at += next + len(want)
	}
}

// TestSmallPagesStay: what ends faults does not make pages larger.
func TestSmallPagesStay(t *testing.T) {
	t.Parallel()
	text := string(everything().finished(History{Nodes: 1, Ops: []Op{smallPages{}, arm{operation: "*", effects: "{error: {code: forbidden}}"}}}).write(title{name: "history", description: "d"}).text)
	if _, after, _ := strings.Cut(text, "clearFaults: all"); !strings.Contains(after, "fault: {name: pages,") {
		t.Errorf("%s\nhas no small pages after clearFaults", text)
	}
}

// TestSimplerServices: each of what a Service asks for can be left out.
func TestSimplerServices(t *testing.T) {
	t.Parallel()
	all := addService{name: "web-1", ports: 2, local: true, sticky: true, dual: true, ranges: 2}.simpler()
	if want := (addService{name: "web-1", ports: 2}); len(all) != 6 || all[0] != Op(want) {
		t.Errorf("%d are simpler, the first is %+v", len(all), all[0])
	}
	if plain := (addService{name: "web-1", ports: 1}).simpler(); len(plain) != 0 {
		t.Errorf("%+v", plain)
	}
}

// TestNamesThatAreAlike: some names begin as others do.
func TestNamesThatAreAlike(t *testing.T) {
	t.Parallel()
	alike := 0
	for n := 1; n <= 200; n++ {
		for _, op := range everything().history(1, n).Ops {
			if o, is := op.(addVM); is && (o.name == "node-10" || o.name == "node-20" || o.name == "node-30") {
				alike++
			}
		}
	}
	if alike == 0 {
		t.Error("there is no node-1 beside a node-10")
	}
}

// TestServiceElsewhere: the Service of the other namespace has the name of one of the scenario's, and goes with its namespace.
func TestServiceElsewhere(t *testing.T) {
	t.Parallel()
	text := string(History{Nodes: 1, Ops: []Op{addService{name: "web-1", ports: 1}, serviceElsewhere{name: "web-1"}}}.write(title{name: "history", description: "d"}).text)
	for _, want := range []string{"metadata: {name: web-1, namespace: explored-elsewhere}", "selector: {app: other}, ports: [{name: a, port: 8443}]", "delete: namespace/explored-elsewhere"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
}

// TestLagsOnlyWhereTheyCanBe: no history shows the CCM what is old on a backend that cannot, and none shows it Services
// that are not explored.
func TestLagsOnlyWhereTheyCanBe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		grammar grammar
		want    []string
		never   string
	}{
		"everything":  {everything(), []string{"stale: {resources: [services", "unobserved", "timeTravel", "catchUp"}, "timeTravel: {resources: [pods"},
		"nodes alone": {grammar{areas: []Area{Nodes, Lifecycle}, able: scenarios.AllCapabilities(), lags: true}, []string{"stale: {resources: [nodes]", "timeTravel: {resources: [nodes]"}, "nodes, services]"},
		"elsewhere":   {grammar{areas: AllAreas(), able: scenarios.AllCapabilities()}, nil, "catchUp"},
	} {
		var all strings.Builder
		for n := 1; n <= 200; n++ {
			all.Write(test.grammar.history(1, n).write(title{name: "history", description: "d"}).text)
		}
		for _, want := range test.want {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%s: no history has %s", name, want)
			}
		}
		if strings.Contains(all.String(), test.never) {
			t.Errorf("%s: a history has %s", name, test.never)
		}
	}
	saved := History{Nodes: 1, Ops: []Op{check{part: partNodes}, lagAPI{kind: "stale", resources: "services"}, travelAPI{resources: "nodes", back: 2}}}
	for _, op := range (grammar{areas: AllAreas(), able: scenarios.AllCapabilities()}).finished(saved).Ops {
		switch op.(type) {
		case lagAPI, travelAPI, catchUpAPI:
			t.Errorf("a corpus brings %+v", op)
		}
	}
}
