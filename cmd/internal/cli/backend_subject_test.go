package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios/profile"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// parseProfile reads the spec of a profile.
func parseProfile(t *testing.T, spec string) profile.Profile {
	t.Helper()
	p, err := profile.Find(profileFile(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestConfigFilesThatFilesName: a config file is used when a file that is used names it, as OpenStack's cloud.conf names clouds.yaml.
func TestConfigFilesThatFilesName(t *testing.T) {
	const clouds = `
  like: openstack
  config:
    third.pem: x
    clouds.yaml: |
      clouds: {mine: {auth: {auth_url: "{endpoint:openstack}/identity/v3"}, cacert: "{config:third.pem}"}}
    cloud.conf: |
      [Global]
      use-clouds=true
      clouds-file={config:clouds.yaml}
      cloud=mine
`
	if err := checkProfilePlaceholders(parseProfile(t, clouds)); err != nil {
		t.Errorf("files that name one another, from the first one on: %v", err)
	}
	err := checkProfilePlaceholders(parseProfile(t, `{binary: mine, args: [--x], config: {a: "{config:b}", b: "{config:a}", c: "{config:c}"}}`))
	for _, name := range []string{"a", "b", "c"} {
		if want := "the file " + name + " is not used: name it by {config:" + name + "} in spec.args, in spec.env or in another file that is used"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("files that only name one another: %v, want %q", err, want)
		}
	}
}

// TestProfileLikeSimcloud: what a profile adds to simcloud's own reaches simcloud-ccm, and is refused where it cannot.
func TestProfileLikeSimcloud(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "simcloud-ccm")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("SIMCLOUD_CCM", binary)
	p := parseProfile(t, `{like: simcloud, args: [--v=5], env: [A=b], config: {c: d}}`)
	spec, err := specOf(p)
	if err != nil || spec.Path != binary || !slices.Equal(spec.Args, []string{"{flags}", "--v=5"}) || !slices.Equal(spec.Env, []string{"A=b"}) || spec.ConfigFiles["c"] != "d" {
		t.Errorf("got %+v, %v", spec, err)
	}
	for _, more := range []string{"args: [--v=5]", "env: [A=b]", "config: {c: d}", "binary: mine"} {
		o := backendOptions{backend: backendSimulated, profileName: "mine", profile: parseProfile(t, "{like: simcloud, "+more+"}")}
		if _, err := o.simulatedSubject(""); err == nil || !strings.Contains(err.Error(), "is a program of its own") || errors.Is(err, simcloud.Internal) {
			t.Errorf("%s in simulated time: %v, want that it is refused", more, err)
		}
	}
	o := backendOptions{backend: backendSimulated, profileName: "mine", profile: parseProfile(t, "{like: simcloud}")}
	if _, err := o.simulatedSubject(""); err != nil {
		t.Errorf("simcloud's own in simulated time: %v", err)
	}
}
