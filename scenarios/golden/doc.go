// Package golden compares what a test has made with a file beside it. With the flag
// -update the file is written instead. Only tests import it.
package golden
