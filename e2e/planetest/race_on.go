//go:build race

package planetest

// RaceDetector tells whether the tests run with the race detector. It reports a race in upstream's service controller (v0.37), so that
// tests of Services in this process run without it.
const RaceDetector = true
