package store

import "github.com/simcloud-dev/simcloud/simcloud"

// Use is an amount of what quotas count.
type Use struct {
	Project  simcloud.ID
	Resource simcloud.QuotaResource
	Amount   int
}

// counts are what projects have.
type counts map[simcloud.ID]map[simcloud.QuotaResource]int

func (c counts) add(use Use) {
	if c[use.Project] == nil {
		c[use.Project] = map[simcloud.QuotaResource]int{}
	}
	c[use.Project][use.Resource] += use.Amount
}

// usage is what a transaction changes of what projects have. It is written
// once, before the commit: the updates that share one write a project once.
type usage struct {
	counts counts
	log    []Use
}

// Usage returns what a project has of all that quotas count; what it has none of may be missing.
func (tx *Tx) Usage(project simcloud.ID) (map[simcloud.QuotaResource]int, error) {
	if known := tx.usage.counts[project]; known != nil {
		return known, nil
	}
	kept, _, err := usageTable.Get(tx, string(project))
	return kept, err
}

// UsageMark is a point of the transaction for Grown.
func (tx *Tx) UsageMark() int { return len(tx.usage.log) }

// Grown returns what projects have more of than at the mark, and by how much.
func (tx *Tx) Grown(since int) []Use {
	var grown []Use
	for _, use := range tx.usage.log[min(since, len(tx.usage.log)):] {
		grown = join(grown, use)
	}
	more := grown[:0]
	for _, use := range grown {
		if use.Amount > 0 {
			more = append(more, use)
		}
	}
	return more
}

func join(uses []Use, use Use) []Use {
	for i := range uses {
		if uses[i].Project == use.Project && uses[i].Resource == use.Resource {
			uses[i].Amount += use.Amount
			return uses
		}
	}
	return append(uses, use)
}

// use counts what a change of a resource adds, or with a negative amount takes away.
func (tx *Tx) use(uses []Use) error {
	for _, use := range uses {
		if use.Project == "" {
			continue // it belongs to no project
		}
		if err := tx.loadUsage(use.Project); err != nil {
			return err
		}
		tx.usage.counts.add(use)
		tx.usage.log = append(tx.usage.log, use)
	}
	return nil
}

func (tx *Tx) loadUsage(project simcloud.ID) error {
	if tx.usage.counts[project] != nil {
		return nil
	}
	kept, err := tx.Usage(project)
	if err != nil {
		return err
	}
	if tx.usage.counts == nil {
		tx.usage.counts = counts{}
	}
	if kept == nil {
		kept = map[simcloud.QuotaResource]int{}
	}
	tx.usage.counts[project] = kept
	return nil
}

// unuse takes back what was counted since the log was that long.
func (tx *Tx) unuse(length int) {
	for _, use := range tx.usage.log[length:] {
		use.Amount = -use.Amount
		tx.usage.counts.add(use)
	}
	tx.usage.log = tx.usage.log[:length]
}

// flushUsage writes what has changed.
func (tx *Tx) flushUsage() error {
	if len(tx.usage.log) == 0 {
		return nil
	}
	for project, used := range tx.usage.counts {
		if err := tx.putUsage(project, used); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) putUsage(project simcloud.ID, used map[simcloud.QuotaResource]int) error {
	some := map[simcloud.QuotaResource]int{}
	for resource, n := range used {
		if n != 0 {
			some[resource] = n
		}
	}
	if len(some) == 0 {
		return usageTable.Delete(tx, string(project))
	}
	return usageTable.Put(tx, string(project), some)
}
