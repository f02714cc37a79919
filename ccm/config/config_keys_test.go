package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestEveryKeyNamesItsLine: whatever the key, a value that cannot be is told by file, line and key.
func TestEveryKeyNamesItsLine(t *testing.T) {
	t.Parallel()
	cfg, parser := Default(), configParser{name: "cloud.yaml"}
	for _, key := range slices.Sorted(maps.Keys(cfg.keys(parser))) {
		_, err := Parse("cloud.yaml", fmt.Appendf(nil, "# a comment\n\n%s: [a]\n", key))
		if want := "cloud.yaml:3: " + key + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s...", err, want)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cfg.LoadBalancer.keys(parser))) {
		_, err := Parse("cloud.yaml", fmt.Appendf(nil, "loadBalancer:\n  # a comment\n  %s: {a: b}\n", key))
		if want := "cloud.yaml:3: loadBalancer." + key + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s...", err, want)
		}
	}
}
