package store

// IDs are how far the ids of a file have come, by the counter.
type IDs map[string]uint64

// IDsOf returns how far the ids of resources, of their routes and of their rules have come.
func IDsOf(tx *Tx) IDs {
	ids := IDs{RouteCounter.name: RouteCounter.Last(tx), RuleCounter.name: RuleCounter.Last(tx)}
	for _, k := range kinds() {
		name := k.bucketNames()[0]
		ids[name] = Counter{name}.Last(tx)
	}
	return ids
}

// Raise lets the ids to come be beyond these ids, after Wipe or Load.
func (ids IDs) Raise(tx *Tx) error {
	for name, n := range ids {
		if c := (Counter{name}); n > c.Last(tx) {
			if err := c.Set(tx, n); err != nil {
				return err
			}
		}
	}
	return nil
}
