package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// Check reads the whole cloud and reports what breaks its rules: a reference
// that leads nowhere, an address that two have, an operation that never ends,
// an index that does not agree with the data. It is for tests and for repairs.
func (c *Cloud) Check(ctx context.Context) error {
	if err := c.alone(ctx, "Check"); err != nil {
		return err
	}
	state, err := c.GetState(ctx)
	if err != nil {
		return err
	}
	inspection := newInspection(state)
	inspection.owned()
	inspection.topology()
	inspection.zones()
	inspection.subnets()
	inspection.pools()
	inspection.clusters()
	inspection.documents()
	inspection.reservations()
	inspection.securityGroups()
	inspection.targetGroups()
	inspection.instances()
	inspection.volumes()
	inspection.sshKeys()
	inspection.loadBalancers()
	inspection.floatingIPs()
	inspection.routeTables()
	inspection.operations()
	lost := c.db.View(inspection.handedOut)
	return errors.Join(append(inspection.problems, lost, c.db.Check())...)
}

// inspection looks at one state of a cloud.
type inspection struct {
	state     simcloud.State
	known     map[store.Ref]*simcloud.Meta
	instance  map[simcloud.ID]simcloud.Instance
	addresses map[string]string // of a pool, by who has it
	problems  []error
}

func newInspection(state simcloud.State) *inspection {
	i := &inspection{
		state: state, known: map[store.Ref]*simcloud.Meta{},
		instance: map[simcloud.ID]simcloud.Instance{}, addresses: map[string]string{},
	}
	for _, kind := range stateKinds() {
		for _, meta := range kind.metas(&i.state) {
			i.known[store.Ref{Kind: kind.Kind(), ID: meta.ID}] = meta
		}
	}
	for _, instance := range state.Instances {
		i.instance[instance.ID] = instance
	}
	return i
}

// owned checks what all resources of projects have.
func (i *inspection) owned() {
	for _, kind := range kinds {
		if kind.shared {
			continue
		}
		for _, meta := range kind.metas(&i.state) {
			i.common(kind.Kind(), *meta)
		}
	}
}

func (i *inspection) fail(format string, args ...any) {
	i.problems = append(i.problems, fmt.Errorf(format, args...))
}

// refers checks that a resource refers to one that is there, and not of another project.
func (i *inspection) refers(kind simcloud.Kind, meta simcloud.Meta, to simcloud.Kind, id simcloud.ID) {
	found := i.known[store.Ref{Kind: to, ID: id}]
	switch {
	case found == nil:
		i.fail("%s refers to %s, which is not there", simcloud.Ref(kind, meta.ID), simcloud.Ref(to, id))
	case found.Project != "" && found.Project != meta.Project:
		i.fail("%s refers to %s of another project", simcloud.Ref(kind, meta.ID), simcloud.Ref(to, id))
	}
}

// has checks that no other resource has the address.
func (i *inspection) has(kind simcloud.Kind, id simcloud.ID, pool, address string) {
	key, owner := pool+" "+address, simcloud.Ref(kind, id)
	if other, taken := i.addresses[key]; taken {
		i.fail("%s and %s both have %s", other, owner, address)
	}
	i.addresses[key] = owner
}

// common checks what all resources of a project have.
func (i *inspection) common(kind simcloud.Kind, meta simcloud.Meta) {
	i.refers(kind, meta, simcloud.KindProject, meta.Project)
	if meta.Operation == "" {
		return
	}
	i.refers(kind, meta, simcloud.KindOperation, meta.Operation)
	for _, op := range i.state.Operations {
		if op.ID == meta.Operation && op.State != simcloud.OperationRunning {
			i.fail("%s waits for %s, which is %s", simcloud.Ref(kind, meta.ID), op.ID, op.State)
		}
	}
}
