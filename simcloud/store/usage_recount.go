package store

import (
	"errors"
	"fmt"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Recount counts again what projects have, after the resources were changed
// otherwise than one by one.
func Recount(tx *Tx) error {
	counted, err := tx.recount()
	if err != nil {
		return err
	}
	var stale []string
	for project := range usageTable.All(tx, &err) {
		stale = append(stale, project)
	}
	if err != nil {
		return err
	}
	tx.usage = usage{}
	for _, project := range stale {
		if err := usageTable.Delete(tx, project); err != nil {
			return err
		}
	}
	for project, used := range counted {
		if err := tx.putUsage(project, used); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) recount() (counts, error) {
	counted := counts{}
	for _, k := range kinds() {
		if err := k.count(tx, counted); err != nil {
			return nil, err
		}
	}
	return counted, nil
}

// count adds what the resources of a kind use.
func (b Bucket[T, P]) count(tx *Tx, into counts) error {
	if b.kind == simcloud.KindInstanceType || b.kind == simcloud.KindOperation {
		return nil // what types are used for is in the instances
	}
	all, err := b.All(tx)
	for i := 0; i < len(all) && err == nil; i++ {
		var uses []Use
		uses, err = b.uses(tx, nil, &all[i])
		for _, use := range uses {
			if use.Project != "" {
				into.add(use)
			}
		}
	}
	return err
}

// checkUsage compares what projects have with what is counted.
func (tx *Tx) checkUsage() error {
	counted, err := tx.recount()
	if err != nil {
		return err
	}
	kept := counts{}
	for project, used := range usageTable.All(tx, &err) {
		for resource, n := range used {
			kept.add(Use{simcloud.ID(project), resource, n})
		}
	}
	if err != nil {
		return err
	}
	return counted.differ(kept)
}

// differ reports where the counts that are kept are not these.
func (c counts) differ(kept counts) error {
	var problems []error
	for user, used := range c {
		for resource, want := range used {
			if got := kept[user][resource]; want != got {
				problems = append(problems, fmt.Errorf("%s has %d %s, the file says %d", userText(user), want, resource, got))
			}
		}
	}
	for user, used := range kept {
		for resource, got := range used {
			if _, counted := c[user][resource]; !counted && got != 0 {
				problems = append(problems, fmt.Errorf("%s has no %s, the file says %d", userText(user), resource, got))
			}
		}
	}
	return errors.Join(problems...)
}
