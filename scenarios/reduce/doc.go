// Package reduce makes a scenario that fails shorter, as long as it fails in the same way.
package reduce
