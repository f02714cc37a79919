package dataplane

import "github.com/simcloud-dev/simcloud/simcloud"

// turns gives targets their turns, each as often as its weight says and spread
// evenly. What a target has saved up stays with it while others come and go.
type turns struct {
	saved map[*backend]int
}

// next chooses one of at least one target.
func (t *turns) next(of []*backend) *backend {
	if t.saved == nil {
		t.saved = map[*backend]int{}
	}
	var best *backend
	total := 0
	for _, candidate := range of {
		t.saved[candidate] += candidate.weight()
		total += candidate.weight()
		if best == nil || t.saved[candidate] > t.saved[best] {
			best = candidate
		}
	}
	t.saved[best] -= total
	if len(t.saved) > len(of) {
		t.forget()
	}
	return best
}

// forget drops what was saved for targets that are gone.
func (t *turns) forget() {
	for candidate := range t.saved {
		if candidate.gone {
			delete(t.saved, candidate)
		}
	}
}

// choose picks one of at least one target; those that are equal take turns.
func choose(by simcloud.Algorithm, of []*backend, turns *turns) *backend {
	if by == simcloud.LeastConnections {
		of = leastBusy(of)
	}
	return turns.next(of)
}

// leastBusy moves the targets with the fewest connections for their weight to
// the front of the slice and returns them.
func leastBusy(of []*backend) []*backend {
	n := 0
	for _, candidate := range of {
		if n > 0 {
			have, least := candidate.active*int64(of[0].weight()), of[0].active*int64(candidate.weight())
			if have > least {
				continue
			}
			if have < least {
				n = 0
			}
		}
		of[n] = candidate
		n++
	}
	return of[:n]
}
