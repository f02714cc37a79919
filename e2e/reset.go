package e2e

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/sweep"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// Reset makes the cluster as empty as it was after Start: the CCM is
// stopped, the cloud reset with its ids starting again, every machine killed,
// and what they and the user made in the cluster is gone, whatever finalizers
// guard it. An error means that the cluster has to be thrown away.
func (c *Cluster) Reset(ctx context.Context) error {
	if err := c.canReset(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timings.Reset)
	defer cancel()
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"stop the cloud controller manager", c.CCM.StopAll},
		{"give it its rights back", c.CCM.Allow},
		{"delay nothing", c.CCM.Undelay},
		{"give it a good token", c.CCM.RestoreToken},
		{"reset the cloud", c.resetCloud},
		{"kill the machines", c.restartMachines},
		{"empty the cluster", c.emptyCluster},
		{"forget the calls", c.Cloud.ClearJournal},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("reset the cluster: %s: %w", step.what, err)
		}
	}
	c.CCM.Forget()
	return nil
}

// canReset answers Unavailable for a cluster whose control plane is lost, and
// Unimplemented for one that cannot be as it was: a reset of the cloud takes the
// VM of the control plane's Node.
func (c *Cluster) canReset() error {
	if err := c.Err(); err != nil {
		return simcloud.Errorf(simcloud.Unavailable, "backend/"+c.Backend.Name(), "it cannot be reset: %w", err)
	}
	if c.controlPlane == "" {
		return nil
	}
	return simcloud.Errorf(simcloud.Unimplemented, "backend/"+c.Backend.Name(), "its control plane is a Node, whose VM a reset would take: use a cluster once")
}

// resetCloud empties the cloud and checks that it is.
func (c *Cluster) resetCloud(ctx context.Context) error {
	if err := c.restoreClock(ctx); err != nil { // a reset sets a real clock alone
		return err
	}
	if err := c.Cloud.Reset(ctx); err != nil {
		return err
	}
	if err := c.restoreBehaviour(ctx); err != nil {
		return err
	}
	state, err := c.Cloud.GetState(ctx)
	if err != nil {
		return err
	}
	if left := leftInCloud(state); len(left) > 0 {
		return simcloud.Errorf(simcloud.Internal, "", "the cloud still has %s", strings.Join(left, ", "))
	}
	return nil
}

// restoreClock lets the cloud's clock run as it did after Start.
func (c *Cluster) restoreClock(ctx context.Context) error {
	clock, err := c.Cloud.GetClock(ctx)
	if err == nil && clock.ClockSpec != c.clock {
		_, err = c.Cloud.SetClock(ctx, c.clock)
	}
	return err
}

// restoreBehaviour takes back what a user has changed of how the cloud behaves.
func (c *Cluster) restoreBehaviour(ctx context.Context) error {
	if err := c.Cloud.ClearFaults(ctx); err != nil {
		return err
	}
	// Empty, not nil: what is null on the wire stays as it is.
	rates, unique := append([]simcloud.Rate{}, c.config.Rates...), append([]simcloud.Kind{}, c.config.UniqueNames...)
	busy := append([]simcloud.Kind{}, c.config.ChangesWhileBusy...)
	rules := append([]simcloud.RouteRule{}, c.config.RouteRules...)
	classes := append([]simcloud.LoadBalancerClass{}, c.config.LoadBalancerClasses...)
	exceptions := map[simcloud.Kind]simcloud.Progression{}
	maps.Copy(exceptions, c.config.Progressions)
	variants := map[string]string{}
	maps.Copy(variants, c.config.DialectVariants)
	_, err := c.Cloud.UpdateConfig(ctx, simcloud.ConfigUpdate{
		Progression: &c.config.Progression, Progressions: &exceptions, Consistency: &c.config.Consistency,
		Rates: &rates, IdempotencyTTL: &c.config.IdempotencyTTL, MaxTargets: &c.config.MaxTargets, UniqueNames: &unique,
		ChangesWhileBusy: &busy,
		KeepIDs:          &c.config.KeepIDs,
		RouteRules:       &rules, MaxRoutes: &c.config.MaxRoutes, MaxSecurityGroupRules: &c.config.MaxSecurityGroupRules,
		LoadBalancerClasses: &classes, DialectVariants: &variants, Hostnames: &c.config.Hostnames,
		DefaultSecurityGroups: &c.config.DefaultSecurityGroups,
	})
	return err
}

// leftInCloud names what a reset cloud must not have.
func leftInCloud(state simcloud.State) []string {
	var left []string
	for _, inst := range state.Instances {
		left = append(left, simcloud.Ref(simcloud.KindInstance, inst.ID))
	}
	for _, lb := range state.LoadBalancers {
		left = append(left, simcloud.Ref(simcloud.KindLoadBalancer, lb.ID))
	}
	for _, fip := range state.FloatingIPs {
		left = append(left, simcloud.Ref(simcloud.KindFloatingIP, fip.ID))
	}
	for _, volume := range state.Volumes {
		left = append(left, simcloud.Ref(simcloud.KindVolume, volume.ID))
	}
	for _, group := range state.SecurityGroups {
		left = append(left, simcloud.Ref(simcloud.KindSecurityGroup, group.ID))
	}
	for _, group := range state.TargetGroups {
		left = append(left, simcloud.Ref(simcloud.KindTargetGroup, group.ID))
	}
	for _, table := range state.RouteTables {
		for _, route := range table.Routes {
			left = append(left, simcloud.Ref(simcloud.KindRouteTable, table.ID)+"/"+string(route.ID))
		}
	}
	return left
}

func (c *Cluster) restartMachines(ctx context.Context) error { return c.Machines.Restart(ctx) }

// emptyCluster sweeps until nothing is left.
func (c *Cluster) emptyCluster(ctx context.Context) error {
	if shared := c.can.SharedCluster; shared != nil {
		return c.emptyShared(ctx, shared.Mark)
	}
	if c.sweeper == nil {
		s, err := sweep.New(c.RESTConfig, c.Kube, c.kept)
		if err != nil {
			return err
		}
		c.sweeper = s
	}
	return c.sweeper.Run(ctx)
}
