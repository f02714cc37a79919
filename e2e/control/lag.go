package control

import "time"

// Lag says what the API server shows the CCM late: see docs/simulated.md.
type Lag struct {
	Kind LagKind
	// Resources are their names, such as nodes; "*" is all.
	Resources []string
	// To is the moment whose state [TimeTravel] shows. The others show what there is when they begin.
	To time.Time
	// For is the time after which the API server has caught up; 0 lets it lag until CatchUp.
	For time.Duration
}

// LagKind is one of the patterns of Sieve (OSDI 2022).
type LagKind string

// The patterns.
const (
	// Stale is an API server whose watch cache is behind, and catches up event by event.
	Stale LagKind = "stale"
	// Unobserved is one whose watch cache is behind, and is filled again: what happened meanwhile is not seen event by event.
	Unobserved LagKind = "unobserved"
	// TimeTravel is another API server, which is behind what the CCM has seen already.
	TimeTravel LagKind = "timeTravel"
)
