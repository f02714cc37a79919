// Package timeline records what happens in a run, in the lanes in which reports show it.
package timeline
