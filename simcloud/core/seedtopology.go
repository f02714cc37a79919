package core

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Seed makes the cloud what the topology says, in one transaction: first it
// plans what has to go, then it removes that, users before what they use, and
// then makes and changes the rest in the opposite order. Each step is the API's
// own call, so all rules hold; none takes time. What an operation runs on
// cannot be changed: Locked, and nothing happens.
func (c *Cloud) Seed(ctx context.Context, topology simcloud.Topology) (simcloud.SeedReport, error) {
	var report simcloud.SeedReport
	err := c.updateExclusive(ctx, request{verb: "Seed", admin: true, spec: topology}, func(t *txn) (err error) {
		report, err = seedIn(ctx, t, topology)
		return err
	})
	return report, err
}

// seedIn is Seed as a part of a transaction.
func seedIn(ctx context.Context, t *txn, topology simcloud.Topology) (simcloud.SeedReport, error) {
	s := newSeeding(ctx, t, topology)
	if err := s.run(); err != nil {
		return simcloud.SeedReport{}, err
	}
	return s.report, nil
}

// seeding is the making of a topology.
type seeding struct {
	*txn
	ctx    context.Context // with the caller that the calls are made as
	do     mutations       // as parts of the transaction
	report simcloud.SeedReport
	// goes are the resources that are removed, to be replaced or for good.
	goes map[store.Ref]bool
	want simcloud.Topology
}

func newSeeding(ctx context.Context, t *txn, topology simcloud.Topology) *seeding {
	inner := *t
	inner.atOnce = true
	inner.downTakes = topology.Regions != nil // it is down because the topology wants it so
	inner.caller.Role = simcloud.RoleAdmin
	if inner.caller.Project = topology.Project; topology.Project == "" {
		inner.caller.Project = simcloud.DefaultProject
	}
	return &seeding{
		txn: &inner, ctx: simcloud.WithCaller(ctx, inner.caller), do: mutations{inner.cloud, &inner},
		goes: map[store.Ref]bool{}, want: topology,
		report: simcloud.SeedReport{Created: []string{}, Updated: []string{}, Deleted: []string{}},
	}
}

// seedPart is what a topology says about one kind.
type seedPart interface {
	plan() error
	remove() error
	make() error
}

func (s *seeding) run() error {
	if !store.Projects.Has(s.tx, s.caller.Project) {
		if err := s.makeProject(s.caller.Project); err != nil {
			return err
		}
		s.report.Created = append(s.report.Created, simcloud.Ref(simcloud.KindProject, s.caller.Project))
	}
	parts := s.parts()
	for _, part := range parts {
		if err := part.plan(); err != nil {
			return err
		}
	}
	for _, part := range slices.Backward(parts) {
		if err := part.remove(); err != nil {
			return err
		}
	}
	for _, part := range parts {
		if err := part.make(); err != nil {
			return err
		}
	}
	return errors.Join(s.setQuotas(), s.worsenZones())
}

// parts returns the kinds, each after those that it refers to.
func (s *seeding) parts() []seedPart {
	return []seedPart{
		s.regions(), s.zones(), s.instanceTypes(), s.pools(), s.networks(), s.subnets(), s.keys(), s.securityGroups(), s.securityGroupRules(),
		s.instances(), s.volumes(), s.routeTables(), s.targetGroups(), s.loadBalancers(), s.forwarding(), s.groupParts(), s.floatingIPs(), s.clusters(),
	}
}

// updated notes a change of what was there before.
func (s *seeding) updated(ref string) {
	if !slices.Contains(s.report.Updated, ref) && !slices.Contains(s.report.Created, ref) {
		s.report.Updated = append(s.report.Updated, ref)
		s.report.Unchanged--
	}
}

// inPart says in which part of the topology a call failed; path ends in a dot.
func inPart(path string, err error) error {
	var e *simcloud.Error
	if !errors.As(err, &e) {
		return err
	}
	inside := *e
	inside.Message = strings.TrimSuffix(path, ".") + ": " + e.Message
	inside.Fields = slices.Clone(e.Fields)
	for i := range inside.Fields {
		inside.Fields[i].Field = path + inside.Fields[i].Field
	}
	return &inside
}

func seedPath(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]." }
