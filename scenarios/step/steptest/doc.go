// Package steptest has a cluster without processes for tests: its cloud is real and in
// this process, its controls note what they are told.
package steptest
