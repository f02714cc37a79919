package fault

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// State lets the operation that a mutation starts end in another state than it
// should. With the kind's state for an error, or with a code, the operation fails.
type State struct {
	// To is the state; empty with a code for the one of before, whose resource is not broken.
	To string `json:"to,omitempty"`
	// Code is the code that the failed operation has.
	Code simcloud.Code `json:"code,omitempty"`
	// After is how long the operation takes; 0 leaves that to the cloud's progression.
	After simcloud.Duration `json:"after,omitempty"`
}

func (s *State) check(f *fields, path string) {
	f.pause(path+".after", s.After)
	if s.Code != "" {
		oneOf(f, path+".code", s.Code, simcloud.Codes())
		if s.To == "" {
			return
		}
	}
	for _, states := range states() {
		if slices.Contains(states, s.To) {
			return
		}
	}
	f.add(path+".to", "%q is not a state that an operation can end in: those of %s are", s.To, stateNames())
}

func (*State) example() Rule {
	return Rule{Match: Match{Operation: "CreateInstance", Resource: "node-*"}, Effect: Effect{State: &State{To: string(simcloud.InstanceError)}}}
}

// fits: the operation leads a resource through states, and the state is one of its kind's.
func (s *State) fits(e simcloud.Endpoint) bool {
	if s.To == "" {
		return e.Write() && (states()[e.Kind()] != nil || e.Operation == "CreateRoute" || e.Operation == "DeleteRoute")
	}
	return e.Write() && slices.Contains(states()[e.Kind()], s.To)
}

func (s *State) of() string {
	if s.To == "" {
		return "changes of instances, load balancers, volumes and routes"
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(states())) {
		if slices.Contains(states()[kind], s.To) {
			kinds = append(kinds, string(kind))
		}
	}
	return "changes of the kind " + strings.Join(kinds, " or ")
}

// stateNames lists the states of each kind.
func stateNames() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(states())) {
		kinds = append(kinds, fmt.Sprintf("%s (%s)", kind, strings.Join(states()[kind], ", ")))
	}
	return strings.Join(kinds, ", ")
}

func (s *State) override(ctx context.Context, _ *Hit) context.Context {
	return simcloud.WithOverride(ctx, simcloud.Override{Outcome: simcloud.Outcome{State: s.To, Code: s.Code, After: s.After}})
}

// states has the states that operations lead to, by kind.
func states() map[simcloud.Kind][]string {
	return map[simcloud.Kind][]string{
		simcloud.KindInstance: names(
			simcloud.InstancePending, simcloud.InstanceRunning, simcloud.InstanceStopping, simcloud.InstanceStopped,
			simcloud.InstanceRebooting, simcloud.InstanceRebuilding, simcloud.InstanceMigrating,
			simcloud.InstanceSuspended, simcloud.InstanceError, simcloud.InstanceTerminating),
		simcloud.KindLoadBalancer: names(
			simcloud.LoadBalancerProvisioning, simcloud.LoadBalancerActive, simcloud.LoadBalancerUpdating,
			simcloud.LoadBalancerError, simcloud.LoadBalancerDeleting),
		simcloud.KindVolume: names(
			simcloud.VolumeCreating, simcloud.VolumeAvailable, simcloud.VolumeAttaching, simcloud.VolumeInUse,
			simcloud.VolumeDetaching, simcloud.VolumeError, simcloud.VolumeDeleting),
	}
}

func names[S ~string](states ...S) []string {
	texts := make([]string, len(states))
	for i, state := range states {
		texts[i] = string(state)
	}
	return texts
}
