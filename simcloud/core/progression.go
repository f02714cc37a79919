package core

import (
	"math/rand/v2"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// progression is how the operation of the call takes its time, if its kind does at all.
func (t *txn) progression(kind simcloud.Kind) simcloud.Progression {
	outcome := t.outcome
	if outcome.After > 0 {
		return simcloud.Progression{Mode: simcloud.ProgressionTime, Duration: outcome.After}
	}
	p := progressionOf(t.behaviour, kind)
	if t.atOnce || outcome.AtOnce {
		p = simcloud.Progression{}
	}
	if (outcome.State != "" || outcome.Code != "") && !takesTime(p) {
		// What is done in the transaction that starts it cannot go wrong after it.
		return simcloud.Progression{Mode: simcloud.ProgressionTime}
	}
	return p
}

func progressionOf(config *simcloud.Config, kind simcloud.Kind) simcloud.Progression {
	if p, ok := config.Progressions[kind]; ok {
		return p
	}
	if kind == simcloud.KindRouteTable {
		return simcloud.Progression{}
	}
	return config.Progression
}

// takesTime reports whether operations outlive the transaction that starts them.
func takesTime(p simcloud.Progression) bool {
	return p.Mode == simcloud.ProgressionTime || p.Mode == simcloud.ProgressionPolls
}

// delay is how long one operation takes. It is the same for the same seed and operation.
func delay(p simcloud.Progression, seed uint64, op simcloud.ID) time.Duration {
	if p.Jitter <= 0 {
		return time.Duration(p.Duration)
	}
	dice := rand.New(rand.NewPCG(seed, hash("jitter", string(op))))
	return time.Duration(p.Duration) + time.Duration(dice.Int64N(int64(p.Jitter)+1))
}
