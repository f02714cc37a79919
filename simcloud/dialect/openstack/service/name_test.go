package service_test

import (
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// TestKeepName: each name comes back, and the cloud takes what it gets.
func TestKeepName(t *testing.T) {
	t.Parallel()
	for name, legal := range map[string]string{
		"plain": "plain", "a.b_c-d": "a.b_c-d", "trailing_": "trailing", "_leading": "leading", "two words": "two-words", "": "fallback", "___": "fallback", "größe": "gr-e",
		"日本語": "fallback", strings.Repeat("x", 255): strings.Repeat("x", 200), strings.Repeat("x", 253): strings.Repeat("x", 253), strings.Repeat("x", 199) + "_" + strings.Repeat("y", 60): strings.Repeat("x", 199),
	} {
		options := map[string]string{service.OptionName: "former"}
		got := service.KeepName(name, "fallback", options)
		if got != legal || service.NameOf(got, options) != name {
			t.Errorf("%q: the cloud gets %q and Octavia shows %q", name, got, service.NameOf(got, options))
		}
		if _, kept := options[service.OptionName]; kept == (name == legal) {
			t.Errorf("%q: the options are %v", name, options)
		}
		if err := (simcloud.NetworkSpec{Name: got, CIDRs: []string{"10.0.0.0/16"}}).Validate(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
