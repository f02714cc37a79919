package scenarios

// source is where a part of the snapshot comes from.
type source int

const (
	fromRun     source = iota // the scenario itself
	fromCloud                 // the cloud's event stream
	fromJournal               // the cloud's record of calls
	fromCluster               // the watches of the cluster
	fromFaults                // the cloud's counts of its fault rules
	fromTraffic               // what the scenario's own traffic met
)
