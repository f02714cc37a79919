package observe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	servicehelpers "k8s.io/cloud-provider/service/helpers"

	"github.com/simcloud-dev/simcloud/simcloud/console"
)

// What is kept of one object is bounded, whatever the cluster has.
const (
	mostText  = 1024 // bytes of a text
	mostItems = 20   // of a list
)

// cut shortens a text that is too long to show.
func cut(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "…"
}

// few are the first of the items, as texts.
func few[T any](items []T, text func(T) string) []string {
	var texts []string
	for _, item := range items[:min(len(items), mostItems)] {
		texts = append(texts, cut(text(item)))
	}
	return texts
}

// idOf is how the console calls an object: by its namespace, if it has one, and its name.
func idOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func nodeOf(node *corev1.Node) console.Node {
	shown := console.Node{
		ID: node.Name, Name: node.Name, UID: string(node.UID), State: "NotReady", Created: node.CreationTimestamp.UTC(),
		ProviderID: cut(node.Spec.ProviderID), Unschedulable: node.Spec.Unschedulable, Deleting: node.DeletionTimestamp != nil,
		Taints:    few(node.Spec.Taints, func(t corev1.Taint) string { return t.ToString() }),
		Addresses: few(node.Status.Addresses, func(a corev1.NodeAddress) string { return string(a.Type) + "=" + a.Address }),
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type != corev1.NodeReady {
			continue
		}
		if condition.Status == corev1.ConditionTrue {
			shown.State = "Ready"
		} else {
			shown.Message = cut(condition.Reason + ": " + condition.Message)
		}
	}
	return shown
}

// hasBalancer reports whether a Service wants a load balancer, or may still have one.
func hasBalancer(service *corev1.Service) bool {
	return service.Spec.Type == corev1.ServiceTypeLoadBalancer || servicehelpers.HasLBFinalizer(service)
}

func serviceOf(service *corev1.Service) console.Service {
	id := idOf(service.Namespace, service.Name)
	shown := console.Service{
		ID: id, Name: id, UID: string(service.UID), Deleting: service.DeletionTimestamp != nil, Created: service.CreationTimestamp.UTC(),
		Ports: few(service.Spec.Ports, func(p corev1.ServicePort) string {
			if p.NodePort == 0 {
				return fmt.Sprintf("%d/%s", p.Port, p.Protocol)
			}
			return fmt.Sprintf("%d→%d/%s", p.Port, p.NodePort, p.Protocol)
		}),
		Addresses: few(service.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) string { return cmp.Or(i.IP, i.Hostname) }),
	}
	if service.Spec.LoadBalancerClass != nil {
		shown.Class = cut(*service.Spec.LoadBalancerClass)
	}
	return shown
}

func eventOf(event *corev1.Event) console.Event {
	count := event.Count
	if event.Series != nil {
		count = event.Series.Count
	}
	return console.Event{
		Reason: cut(event.Reason), Message: cut(event.Message), Count: count,
		From: cut(cmp.Or(event.Source.Component, event.ReportingController)),
	}
}

// sortByVersion puts Events into the order in which the cluster has got them.
func sortByVersion(events []any) {
	version := func(obj any) uint64 {
		event, ok := obj.(*corev1.Event)
		if !ok {
			return 0
		}
		n, _ := strconv.ParseUint(event.ResourceVersion, 10, 64)
		return n
	}
	slices.SortStableFunc(events, func(a, b any) int { return cmp.Compare(version(a), version(b)) })
}
