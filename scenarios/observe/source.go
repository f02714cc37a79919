package observe

// Source is where a part of the snapshot comes from.
type Source int

const (
	FromRun     Source = iota // the scenario itself
	FromCloud                 // the cloud's event stream
	FromJournal               // the cloud's record of calls
	FromCluster               // the watches of the cluster
	FromFaults                // the cloud's counts of its fault rules
	FromTraffic               // what the scenario's own traffic met
)
