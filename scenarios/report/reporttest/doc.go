// Package reporttest has a report with scenarios that ended in every way, for tests of
// what shows reports.
package reporttest
