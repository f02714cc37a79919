package manager

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// TestCredentialOfSeveralFields: a credential of several fields has no value without the name of one.
func TestCredentialOfSeveralFields(t *testing.T) {
	t.Parallel()
	all := []dialect.Dialect{{Name: "aws", CredentialFields: []dialect.CredentialField{{Name: "key", Value: "AKIA"}, {Name: "secret", Value: "{token}"}}}}
	want := map[string]string{"{credential:aws.key}": "AKIA", "{credential:aws.secret}": "{token}"}
	if diff := cmp.Diff(want, credentialsOf(all)); diff != "" {
		t.Errorf("placeholders (-want +got):\n%s", diff)
	}
	err := checkFormat("{credential:aws}", all)
	if err == nil || !strings.Contains(err.Error(), "must be one of {credential:aws.key} {credential:aws.secret}") {
		t.Errorf("got %v, want an error that has both fields", err)
	}
}

// TestDialectsHaveCredentials: each dialect says what its clients are given, each field once.
func TestDialectsHaveCredentials(t *testing.T) {
	t.Parallel()
	for _, d := range sim.Dialects() {
		names := map[string]bool{}
		for _, field := range d.CredentialFields {
			if field.Name == "" || names[field.Name] || strings.ContainsAny(field.Name, ".{}") {
				t.Errorf("%s: the field %q has no name of its own", d.Name, field.Name)
			}
			names[field.Name] = true
		}
		if len(names) == 0 {
			t.Errorf("%s has no field of a credential", d.Name)
		}
	}
}
