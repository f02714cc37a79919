package e2e

import (
	"math"
	"time"
)

// mostFactor keeps a start that hung for a moment from making every wait endless.
const mostFactor = 8

// FactorOf is what a [Calibrated] backend says of a machine on which it took so
// long to start, where two cores that carry one other cluster take nominal: from
// 1 to 8, in tenths.
func FactorOf(took, nominal time.Duration) float64 {
	tenths := math.Round(10 * took.Seconds() / nominal.Seconds())
	return min(max(tenths/10, 1), mostFactor)
}
