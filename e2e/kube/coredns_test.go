package main

import (
	"flag"
	"testing"
)

// TestDropCoreDNSFlags keeps the flags that the kubelet looks up by name.
func TestDropCoreDNSFlags(t *testing.T) {
	all := flag.CommandLine
	t.Cleanup(func() { flag.CommandLine = all })
	dropCoreDNSFlags()
	for name, want := range map[string]bool{
		"conf": false, "p": false, "dns.port": false, "version": false, "quiet": false,
		"housekeeping_interval": true, // of cAdvisor
	} {
		if all.Lookup(name) == nil {
			t.Errorf("nothing registers -%s any more", name)
		}
		if got := flag.CommandLine.Lookup(name) != nil; got != want {
			t.Errorf("-%s is there: %t, want %t", name, got, want)
		}
	}
}
