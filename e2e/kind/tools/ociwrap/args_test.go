package main

import (
	"strings"
	"testing"
)

func TestParseArgs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line  string
		path  string
		whole bool
	}{
		{"--root /run/moby --log /l.json --log-format json create --bundle /b --pid-file /b/pid c1", "/b/config.json", true},
		{"create --bundle=/b c1", "/b/config.json", true},
		{"create -b /b c1", "/b/config.json", true},
		{"run -bundle /b c1", "/b/config.json", true},
		{"run c1", "config.json", true},
		{"restore --bundle /b c1", "/b/config.json", true},
		{"--log /l.json exec --process /p.json --detach --pid-file /pid c1", "/p.json", false},
		{"exec -p /p.json c1", "/p.json", false},
		{"exec --process=/p.json c1", "/p.json", false},
		{"exec c1 ls", "", false},
		{"exec c1 -- --process /p.json", "", false},
		{"start c1", "", false},
		{"--version", "", false},
		{"kill c1 9", "", false},
		{"", "", false},
	} {
		got, ok := parseArgs(strings.Fields(c.line))
		if want := (document{c.path, c.whole}); got != want || ok != (c.path != "") {
			t.Errorf("%s: got %+v, %v, want %+v", c.line, got, ok, want)
		}
	}
}
