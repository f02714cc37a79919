package lb

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// createBalancer makes the load balancer whole, in one call. Listeners and
// targets that the cloud does not take are left out, and the rest is made.
func (l *Balancers) createBalancer(ctx context.Context, svc *v1.Service, want desired, seen uint64) (simcloud.LoadBalancer, error) {
	spec := specOf(want)
	for {
		unsettled := l.newBalancer.Pending(want.owner())
		lb, err := l.newBalancer.Make(ctx, want.owner(), spec, seen)
		switch {
		case err == nil || unsettled && !namesWhatIsGone(err):
			return lb, err
		case unsettled: // the create without an answer cannot take effect either: it was with the same targets
			l.newBalancer.Forget(want.owner())
			continue
		}
		smaller, skipped := without(spec, err)
		for _, instance := range skipped {
			l.skipTarget(svc, instance, err)
		}
		if len(smaller.Targets) == len(spec.Targets) && len(smaller.Listeners) == len(spec.Listeners) {
			return lb, err
		}
		spec = smaller
	}
}

func specOf(want desired) simcloud.LoadBalancerSpec {
	return simcloud.LoadBalancerSpec{
		Name: want.Name, Labels: want.Labels, Scheme: want.Scheme, Class: want.Class, Network: want.Network,
		Addresses: want.Addresses.ofNetwork(want.Scheme),
		Listeners: want.Listeners, Targets: want.Targets, Algorithm: want.Algorithm, Affinity: want.Affinity,
	}
}

// partField is how the cloud names a wrong listener, or the wrong instance of a target.
var partField = regexp.MustCompile(`^(listeners|targets)\[(\d+)\]\.`)

// without returns the spec without what err says is wrong with it, if it says
// nothing else, and the instances that are no targets then. When there are
// too many targets all are left out: the limit is known once the load balancer is there.
func without(spec simcloud.LoadBalancerSpec, err error) (simcloud.LoadBalancerSpec, []simcloud.ID) {
	var refusal *simcloud.Error
	if !errors.As(err, &refusal) {
		return spec, nil
	}
	if refusal.Code == simcloud.Capacity {
		spec.Targets = nil
		return spec, nil
	}
	wrong := map[string]map[int]bool{"listeners": {}, "targets": {}}
	for _, f := range refusal.Fields {
		match := partField.FindStringSubmatch(f.Field)
		if refusal.Code != simcloud.Invalid || match == nil {
			return spec, nil
		}
		if i, err := strconv.Atoi(match[2]); err == nil {
			wrong[match[1]][i] = true
		}
	}
	var skipped []simcloud.ID
	for _, t := range dropped(spec.Targets, wrong["targets"], false) {
		skipped = append(skipped, t.Instance)
	}
	spec.Targets = dropped(spec.Targets, wrong["targets"], true)
	spec.Listeners = dropped(spec.Listeners, wrong["listeners"], true)
	return spec, skipped
}

// goneTarget matches the field of a target whose instance the cloud does not have. The cloud gives no id twice.
var goneTarget = regexp.MustCompile(`^targets\[\d+\]\.instance$`)

// namesWhatIsGone reports whether a load balancer was refused because targets are gone.
func namesWhatIsGone(err error) bool {
	var refusal *simcloud.Error
	return errors.As(err, &refusal) && refusal.Code == simcloud.Invalid && len(refusal.Fields) > 0 &&
		!slices.ContainsFunc(refusal.Fields, func(f simcloud.FieldError) bool { return !goneTarget.MatchString(f.Field) })
}

// dropped returns the parts that are not wrong, or else those that are.
func dropped[T any](parts []T, wrong map[int]bool, good bool) []T {
	var left []T
	for i, part := range parts {
		if wrong[i] != good {
			left = append(left, part)
		}
	}
	return left
}
