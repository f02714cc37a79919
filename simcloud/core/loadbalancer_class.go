package core

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// classFor returns the class of a name, and for no name the first of the cloud.
// A cloud without classes takes any name, for a class without limits.
func (t *txn) classFor(name string) (simcloud.LoadBalancerClass, error) {
	classes := t.cloud.config.Load().LoadBalancerClasses
	if len(classes) == 0 {
		return simcloud.LoadBalancerClass{Name: name}, nil
	}
	if name == "" {
		return classes[0], nil
	}
	if i := slices.IndexFunc(classes, func(c simcloud.LoadBalancerClass) bool { return c.Name == name }); i >= 0 {
		return classes[i], nil
	}
	names := make([]string, len(classes))
	for i, class := range classes {
		names[i] = class.Name
	}
	return simcloud.LoadBalancerClass{}, invalid(string(simcloud.KindLoadBalancer), "class",
		"class %q not found (have %s)", name, strings.Join(names, ", "))
}

// limit gives a load balancer its class, and the limits that were asked for or else those of the class or the cloud.
func (t *txn) limit(lb *simcloud.LoadBalancer, class simcloud.LoadBalancerClass, targets, listeners int) {
	lb.Class = class.Name
	lb.MaxTargets = cmp.Or(targets, class.MaxTargets, t.cloud.config.Load().MaxTargets)
	lb.MaxListeners = cmp.Or(listeners, class.MaxListeners)
}

// reclass changes the class of a load balancer, or its limits alone.
func (t *txn) reclass(lb *simcloud.LoadBalancer, update simcloud.LoadBalancerUpdate) error {
	before := *lb
	if update.Class == nil && update.MaxTargets == nil && update.MaxListeners == nil {
		return nil
	}
	class, err := t.newClass(*lb, update.Class)
	if err != nil {
		return err
	}
	var targets, listeners int
	set(&targets, update.MaxTargets)
	set(&listeners, update.MaxListeners)
	t.limit(lb, class, targets, listeners)
	if update.Class == nil && update.MaxTargets == nil {
		lb.MaxTargets = before.MaxTargets
	}
	if update.Class == nil && update.MaxListeners == nil {
		lb.MaxListeners = before.MaxListeners
	}
	return roomy(*lb)
}

// newClass is the class that a load balancer gets, or has and keeps: the cloud may not offer that any more.
func (t *txn) newClass(lb simcloud.LoadBalancer, name *string) (simcloud.LoadBalancerClass, error) {
	if name != nil {
		return t.classFor(*name)
	}
	if class, err := t.classFor(lb.Class); err == nil && class.Name == lb.Class {
		return class, nil
	}
	return simcloud.LoadBalancerClass{Name: lb.Class}, nil
}

// roomy answers Conflict when a load balancer has more than its limits allow.
func roomy(lb simcloud.LoadBalancer) error {
	ref := simcloud.Ref(simcloud.KindLoadBalancer, lb.ID)
	if n := len(lb.Targets); lb.MaxTargets > 0 && n > lb.MaxTargets {
		return simcloud.Errorf(simcloud.Conflict, ref, "it has %d targets: the limit would be %d", n, lb.MaxTargets)
	}
	if n := len(lb.Listeners); lb.MaxListeners > 0 && n > lb.MaxListeners {
		return simcloud.Errorf(simcloud.Conflict, ref, "it has %d listeners: the limit would be %d", n, lb.MaxListeners)
	}
	return nil
}
