package modeltest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// step is one call that a client makes, and what it must lead to.
type step struct {
	what string
	// call returns the id of what it is about.
	call func(context.Context, *client.Client, ...simcloud.CallOption) (simcloud.ID, error)
	want simcloud.Code // "" when it must succeed
	// apply brings the model to what a success makes of it.
	apply func(*model, simcloud.ID)
}

// creation is the step that makes a resource.
func creation[T any, P interface {
	*T
	GetMeta() *simcloud.Meta
}, S any](
	create func(*client.Client, context.Context, S, ...simcloud.CallOption) (simcloud.Result[T], error), spec S, becomes thing,
) *step {
	return &step{
		what: fmt.Sprintf("create %s %s", becomes.Kind, becomes.Name),
		call: func(ctx context.Context, c *client.Client, opts ...simcloud.CallOption) (simcloud.ID, error) {
			res, err := create(c, ctx, spec, opts...)
			return P(&res.Resource).GetMeta().ID, err
		},
		apply: func(m *model, id simcloud.ID) { m.things[id] = becomes },
	}
}

// verb is a step about a resource that is there.
func verb[T any](
	what string, id simcloud.ID, do func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (T, error), apply func(*model),
) *step {
	return &step{
		what: fmt.Sprintf("%s %s", what, id),
		call: func(ctx context.Context, c *client.Client, opts ...simcloud.CallOption) (simcloud.ID, error) {
			_, err := do(c, ctx, id, opts...)
			return id, err
		},
		apply: func(m *model, _ simcloud.ID) { apply(m) },
	}
}

// with binds the argument of a verb.
func with[A, T any](
	do func(*client.Client, context.Context, simcloud.ID, A, ...simcloud.CallOption) (T, error), arg A,
) func(*client.Client, context.Context, simcloud.ID, ...simcloud.CallOption) (T, error) {
	return func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (T, error) {
		return do(c, ctx, id, arg, opts...)
	}
}

// refused makes a step one that must fail and change nothing.
func (s *step) refused(code simcloud.Code) *step {
	s.what += " in vain"
	s.want, s.apply = code, func(*model, simcloud.ID) {}
	return s
}

// generator decides what a client does next: by its seed and its model alone.
type generator struct {
	owner string
	dice  *rand.Rand
	made  int
}

// next returns a step that the model allows, or one that it forbids, with how.
func (g *generator) next(m *model) *step {
	for {
		options := []func(*model) *step{
			g.createInstance, g.createInstance, g.createInstance, g.createVolume, g.createFloatingIP, g.createLoadBalancer,
			g.createNetwork, g.createSubnet, g.updateInstance, g.stopInstance, g.startInstance, g.deleteInstance,
			g.attachVolume, g.detachVolume, g.deleteVolume, g.attachFloatingIP, g.detachFloatingIP, g.deleteFloatingIP,
			g.createTarget, g.deleteTarget, g.deleteLoadBalancer, g.deleteSubnet, g.deleteNetwork,
		}
		if s := options[g.dice.IntN(len(options))](m); s != nil {
			return s
		}
	}
}

// pick returns one of the ids; "" when there is none.
func (g *generator) pick(ids []simcloud.ID) simcloud.ID {
	if len(ids) == 0 {
		return ""
	}
	return ids[g.dice.IntN(len(ids))]
}

// name returns a new name and the labels of the client.
func (g *generator) name() (string, map[string]string) {
	g.made++
	return fmt.Sprintf("%s-%d", g.owner, g.made), g.labels("")
}

func (g *generator) labels(note string) map[string]string {
	labels := map[string]string{"owner": g.owner}
	if note != "" {
		labels["note"] = note
	}
	return labels
}
