package server

import "testing"

func TestCollection(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/instances":              "/v1/instances",
		"/v1/instances/":             "/v1/instances",
		"/v1/instances/i-1":          "/v1/instances",
		"/v1/instances/i-1/stop":     "/v1/instances",
		"/v1/instances-and-more/i-1": "/v1/instances-and-more",
		"/_sim/clock/advance":        "/_sim/clock",
		"/healthz":                   "/healthz",
		"/":                          "/",
		"":                           "",
		"//":                         "//",
		"/v1//i-1":                   "/v1/",
		"v1":                         "v1",
	} {
		if got := collection(path); got != want {
			t.Errorf("collection(%q) = %q, want %q", path, got, want)
		}
	}
}
