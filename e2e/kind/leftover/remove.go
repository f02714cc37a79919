package leftover

import (
	"context"
	"errors"
	"fmt"
)

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
