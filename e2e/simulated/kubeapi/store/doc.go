// Package store keeps the objects of an API server in memory, as etcd and the watch cache of a real one do: each change
// has a revision, and what was there at a revision can be read and watched again until it is compacted. Storage is the
// interface by which the library k8s.io/apiserver reads and writes it.
package store
