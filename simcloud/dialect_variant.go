package simcloud

import (
	"slices"
	"strings"
)

// DialectVariant is a question about another cloud that its documents leave open, or answer
// in two ways. [Config.DialectVariants] chooses an answer, for clients that depend on it.
type DialectVariant struct {
	// Name begins with that of the dialect and a dot.
	Name string `json:"name"`
	// Values are the answers that there are; the first one holds when none is chosen.
	Values []string `json:"values"`
	// Meaning says what it is that is not known, and what the values stand for.
	Meaning string `json:"meaning"`
}

// The variants of dialects.
const (
	VariantHcloudHealthCheck            = "hcloud.health-check"
	VariantHcloudRefusalStatus          = "hcloud.refusal-status"
	VariantHcloudCertificateFingerprint = "hcloud.certificate-fingerprint"
	VariantHcloudRetryRefusal           = "hcloud.retry-refusal"
	VariantAWSTerminated                = "aws.terminated"
	VariantOpenStackSession             = "openstack.session"
	VariantOpenStackOctavia             = "openstack.octavia"
	VariantOpenStackExtensions          = "openstack.extensions"
)

// DialectVariants are all that there are.
func DialectVariants() []DialectVariant {
	return []DialectVariant{
		{
			Name: VariantAWSTerminated, Values: []string{"shown", "hidden"},
			Meaning: "whether DescribeInstances shows an instance as terminated for an hour after it was deleted, or not at all: AWS says that it is usually less than an hour",
		},
		{
			Name: VariantHcloudHealthCheck, Values: []string{"15-10-3", "10-15-3"},
			Meaning: "interval, timeout and retries of a health check when a request does not say: as in the examples of the API's description, or as in the CCM's manual",
		},
		{
			Name: VariantHcloudRefusalStatus, Values: []string{"422", "409", "412"},
			Meaning: "status of the errors that the state of a resource causes, such as target_already_defined, no_subnet_available or resource_in_use",
		},
		{
			Name: VariantHcloudCertificateFingerprint, Values: []string{"sha256", "sha1"},
			Meaning: "hash that the fingerprint of a certificate is",
		},
		{
			Name: VariantHcloudRetryRefusal, Values: []string{"invalid_input", "unsupported_error", "conflict"},
			Meaning: "code of the error for the retry of a certificate's issuance that has not failed",
		},
		{
			Name: VariantOpenStackSession, Values: []string{"1h", "5m", "30s"},
			Meaning: "how long a session of Keystone lasts, by the clock of the cloud",
		},
		{
			Name: VariantOpenStackOctavia, Values: []string{"v2.27", "v2.15", "v2.11", "v2.4", "v2.0"},
			Meaning: "the newest version of its API that Octavia has: clients leave out what came later (timeouts v2.1, tags v2.5, allowed_cidrs v2.12, HTTP monitors of UDP pools v2.16)",
		},
		{
			Name: VariantOpenStackExtensions, Values: []string{"all", "no-extraroute-atomic", "no-allowed-address-pairs"},
			Meaning: "the extensions of Neutron that routes need: without extraroute-atomic clients replace all routes of a router at once; without allowed-address-pairs they change no ports",
		},
	}
}

// VariantsOf are those of one dialect.
func VariantsOf(dialect string) []DialectVariant {
	return slices.DeleteFunc(DialectVariants(), func(v DialectVariant) bool { return !strings.HasPrefix(v.Name, dialect+".") })
}

// Variant is the answer that holds in this configuration to a question of [DialectVariants];
// empty for one that is not there.
func (c Config) Variant(name string) string {
	if chosen, ok := c.DialectVariants[name]; ok {
		return chosen
	}
	for _, v := range DialectVariants() {
		if v.Name == name {
			return v.Values[0]
		}
	}
	return ""
}

// variants checks that there are such variants with such values.
func (f *fieldErrors) variants(path string, chosen map[string]string) {
	all := DialectVariants()
	for name, value := range chosen {
		i := slices.IndexFunc(all, func(v DialectVariant) bool { return v.Name == name })
		if i < 0 {
			names := make([]string, len(all))
			for i, v := range all {
				names[i] = v.Name
			}
			oneOf(f, path, name, names...)
			continue
		}
		oneOf(f, path+"."+name, value, all[i].Values...)
	}
}
