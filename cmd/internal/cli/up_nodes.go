package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e/machine"
)

// awaitNodes waits until each instance has its Node and, when there is a CCM,
// until the CCM has initialised all of them and pods can run there.
func (u *up) awaitNodes(ctx context.Context) error {
	steps := []struct {
		what string
		is   func(*corev1.Node) bool
	}{
		{"registered", func(*corev1.Node) bool { return true }},
		{"ready", isReady},
		{"initialised by the cloud controller manager", func(n *corev1.Node) bool { return !isUninitialized(n) }},
		{"free of taints", func(n *corev1.Node) bool { return isReady(n) && len(n.Spec.Taints) == 0 }},
	}
	if u.options.subject.None() {
		steps = steps[:1] // without one, nodes are not initialised; that is what it is there for
	}
	for _, step := range steps {
		what := fmt.Sprintf("wait for the nodes to be %s", step.what)
		if err := u.progress.time(what, func() error { return u.awaitEach(ctx, step.what, step.is) }); err != nil {
			return err
		}
	}
	return nil
}

const (
	// nodePollCost is how much longer each Node makes the period in which they are listed: a list of 1,000 takes the API
	// server a good part of a second, which the cluster needs itself.
	nodePollCost = time.Millisecond
	// tellPeriod is how often a wait tells how far it is, while that changes.
	tellPeriod = 5 * time.Second
)

// awaitEach waits until every node is so.
func (u *up) awaitEach(ctx context.Context, what string, is func(*corev1.Node) bool) error {
	var state string
	told := -1
	period := time.Duration(len(u.nodes)) * nodePollCost
	next, tell := time.Now(), time.Now().Add(tellPeriod)
	err := sandbox.Poll(ctx, func() (bool, error) {
		if err := u.hopeless(); err != nil {
			return false, err
		}
		now := time.Now()
		if now.Before(next) {
			return false, nil
		}
		// What the API server's cache has is enough, and spares etcd.
		list, err := u.cluster.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return false, err
		}
		var missing int
		missing, state = lacking(list.Items, u.nodes, is)
		if next = time.Now().Add(period); missing > 0 && missing != told && now.After(tell) {
			u.tellMissing(what, missing, state)
			told, tell = missing, now.Add(tellPeriod)
		}
		return missing == 0, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = context.Cause(ctx) // whatever it interrupted
	}
	return u.explainWait(err, what, state)
}

// tellMissing tells how far a wait is, and what slows the CCM down.
func (u *up) tellMissing(what string, missing int, state string) {
	u.progress.detail(fmt.Sprintf("%d of %d nodes are %s; not yet: %s", len(u.nodes)-missing, len(u.nodes), what, state))
	if why := throttled(u.cluster.CCM.LogTail(throttleLines)); why != "" {
		u.progress.detail(why)
	}
}

// explainWait adds to the error of a wait which nodes are missing, and what the CCM has logged.
func (u *up) explainWait(err error, what, state string) error {
	if state != "" {
		err = fmt.Errorf("%w; nodes that are not %s: %s", err, what, state)
	}
	if why := throttled(u.cluster.CCM.LogTail(throttleLines)); why != "" {
		err = fmt.Errorf("%w; %s", err, why)
	}
	if lines := u.cluster.CCM.LogTail(10); len(lines) > 0 {
		err = fmt.Errorf("%w; the end of the cloud controller manager's log:\n  %s", err, strings.Join(lines, "\n  "))
	}
	return err
}

// hopeless says why the nodes will never be ready, if that is so: of what ended by itself nothing more will come.
func (u *up) hopeless() error {
	for _, m := range u.cluster.Machines.List() {
		if m.State == machine.Failed {
			return exit.Environment(fmt.Errorf("the machine %s failed: %s", m.Name, m.Error))
		}
	}
	ccm := u.cluster.CCM
	if exits := ccm.Exits(); len(exits) > 0 && !ccm.Running() {
		return exit.Environment(errors.New(exits[len(exits)-1].Reason))
	}
	return nil
}

// maxLacking is how many nodes a message names.
const maxLacking = 5

// lacking counts the nodes that are not there or not so, and describes some of them.
func lacking(items []corev1.Node, wanted []string, is func(*corev1.Node) bool) (missing int, state string) {
	nodes := make(map[string]*corev1.Node, len(items))
	for i := range items {
		nodes[items[i].Name] = &items[i]
	}
	var parts []string
	for _, name := range wanted {
		node := nodes[name]
		if node != nil && is(node) {
			continue
		}
		status := "not registered"
		if node != nil {
			status = nodeStatus(node)
		}
		if missing++; missing <= maxLacking {
			parts = append(parts, name+" ("+status+")")
		}
	}
	state = strings.Join(parts, ", ")
	if missing > maxLacking {
		state += fmt.Sprintf(" and %d more", missing-maxLacking)
	}
	return missing, state
}

// nodeStatus says how a node is, as kubectl does, and which taint keeps pods away.
func nodeStatus(node *corev1.Node) string {
	words := []string{"NotReady"}
	if isReady(node) {
		words[0] = "Ready"
	}
	for _, taint := range node.Spec.Taints {
		if _, name, ok := strings.Cut(taint.Key, "/"); ok && !slices.Contains(words, name) { // a key can have several effects
			words = append(words, name)
		}
	}
	return strings.Join(words, ",")
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func isUninitialized(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == cloudproviderapi.TaintExternalCloudProvider
	})
}
