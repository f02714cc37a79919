package service

import "time"

// TimeText is how Octavia and Barbican write times: without a zone.
func TimeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }
