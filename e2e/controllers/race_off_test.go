//go:build !race

package controllers_test

const raceDetector = false
