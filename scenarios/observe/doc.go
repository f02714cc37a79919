// Package observe watches a cloud and a cluster and shows both as one [Snapshot].
//
// Feeds read the streams of the cloud, of its calls and of the cluster into a [Store]. The
// store makes a new snapshot of each change, tells observers of it in order, and wakes
// those who wait for a snapshot that fulfils a condition.
package observe
