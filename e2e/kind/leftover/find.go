package leftover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e/kind/engine"
)

// Engine is what this package needs of a container engine.
type Engine interface {
	Name() string
	List(ctx context.Context, labels ...string) ([]engine.Container, error)
	Networks(ctx context.Context, labels ...string) ([]engine.Network, error)
	Remove(ctx context.Context, containers ...string) error
	RemoveNetwork(ctx context.Context, network string) error
}

// Left is what is there of a cluster that has no owner any more.
type Left struct {
	Cluster              string
	Containers, Networks []string // by name
}

// String names the cluster and counts what it is made of.
func (l Left) String() string {
	return fmt.Sprintf("the cluster %s (containers: %d, networks: %d)", l.Cluster, len(l.Containers), len(l.Networks))
}

// Find returns orphans, by cluster. It leaves out what was
// made on other machines, whose locks cannot be seen from here.
func Find(ctx context.Context, e Engine) ([]Left, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("look for what is left in %s: %w", e.Name(), err)
	}
	networks, err := e.Networks(ctx, LabelLock)
	if err != nil {
		return nil, fmt.Errorf("look for what is left in %s: %w", e.Name(), err)
	}
	// All containers: those of kind's own do not have the labels.
	containers, err := e.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for what is left in %s: %w", e.Name(), err)
	}
	s := &search{host: host, orphaned: map[string]bool{}}
	for _, n := range networks {
		if l := s.of(n.Labels); l != nil {
			l.Networks = append(l.Networks, n.Name)
		}
	}
	for _, c := range containers {
		if l := cmp.Or(s.of(c.Labels), s.ofKind(c)); l != nil {
			l.Containers = append(l.Containers, c.Name)
		}
	}
	return s.result(), nil
}

// search sorts what is found by owner.
type search struct {
	host     string
	orphaned map[string]bool // by lock file
	left     []*Left
}

// of returns what is left of the cluster that has something with these labels;
// nil when it is not ours, or has an owner.
func (s *search) of(labels map[string]string) *Left {
	lock := labels[LabelLock]
	if lock == "" || labels[LabelHost] != s.host {
		return nil
	}
	orphaned, known := s.orphaned[lock]
	if !known {
		orphaned = !owned(lock)
		s.orphaned[lock] = orphaned
	}
	if !orphaned {
		return nil
	}
	return s.named(labels[LabelCluster])
}

func (s *search) named(cluster string) *Left {
	i := slices.IndexFunc(s.left, func(l *Left) bool { return l.Cluster == cluster })
	if i < 0 {
		i, s.left = len(s.left), append(s.left, &Left{Cluster: cluster})
	}
	return s.left[i]
}

// ofKind returns the cluster of a container that kind made by itself: one
// without our labels, in a network that is left, or in none at all.
func (s *search) ofKind(c engine.Container) *Left {
	cluster := c.Labels[engine.KindClusterLabel]
	if cluster == "" || c.Labels[LabelLock] != "" {
		return nil
	}
	for _, l := range s.left {
		if l.Cluster == cluster && (len(c.Networks) == 0 || slices.ContainsFunc(l.Networks, func(n string) bool { _, in := c.Networks[n]; return in })) {
			return l
		}
	}
	return nil
}

func (s *search) result() []Left {
	var left []Left
	for _, l := range s.left {
		left = append(left, *l)
	}
	return left
}

// Remove removes orphans and returns what it removed. What
// another process removes at the same time is no error.
func Remove(ctx context.Context, e Engine) ([]Left, error) {
	left, err := Find(ctx, e)
	if err != nil {
		return nil, err
	}
	var removed []Left
	var errs []error
	for _, l := range left {
		if err := l.remove(ctx, e); err != nil {
			errs = append(errs, fmt.Errorf("remove what is left of the cluster %s: %w", l.Cluster, err))
			continue
		}
		removed = append(removed, l)
	}
	return removed, errors.Join(errs...)
}

// remove removes the networks last: they are what tells whose kind's own containers are.
func (l Left) remove(ctx context.Context, e Engine) error {
	if err := e.Remove(ctx, l.Containers...); err != nil {
		return err
	}
	var errs []error
	for _, network := range l.Networks {
		errs = append(errs, e.RemoveNetwork(ctx, network))
	}
	return errors.Join(errs...)
}
