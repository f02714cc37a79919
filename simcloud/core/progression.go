package core

import (
	"math/rand/v2"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// takesTime reports whether operations run for a time of the clock.
func takesTime(p simcloud.Progression) bool { return p.Mode == simcloud.ProgressionTime }

// delay is how long one operation takes. It is the same for the same seed and operation.
func delay(p simcloud.Progression, seed uint64, op simcloud.ID) time.Duration {
	if p.Jitter <= 0 {
		return time.Duration(p.Duration)
	}
	dice := rand.New(rand.NewPCG(seed, hash("jitter", string(op))))
	return time.Duration(p.Duration) + time.Duration(dice.Int64N(int64(p.Jitter)+1))
}
