package control

import "time"

// Lag is how the API server shows the CCM what is old: see docs/simulated.md.
type Lag struct {
	Kind LagKind
	// Resources are their names, such as nodes; "*" is all.
	Resources []string
	// To is the moment whose state [TimeTravel] shows. The others show what there is when they begin.
	To time.Time
	// For is how long it lasts; 0 is until it is ended.
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
