package hcloud

import (
	"cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// Describe says what the dialect is and has.
func Describe() dialect.Dialect {
	d := dialect.Dialect{
		Variants: simcloud.VariantsOf(name),
		Name:     name, Title: "Hetzner Cloud API v1", Path: "/hcloud/v1", IDs: ids(), Credential: "Authorization: Bearer {token}",
		CredentialFields: []dialect.CredentialField{{Name: "token", Value: "{token}"}},
		Environment: []dialect.Variable{
			{Name: "HCLOUD_ENDPOINT", Value: "{endpoint}/hcloud/v1", Purpose: "the API, with its version"},
			{Name: "HCLOUD_TOKEN", Value: "{token}", Purpose: "a token of the cloud, of the role writer or admin"},
			{Name: "HCLOUD_NETWORK", Value: "default", Purpose: "the network of nodes, routes and load balancers"},
			{Name: "HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK", Value: "true", Purpose: "no look at the metadata service, which only a server has"},
			{Name: "HCLOUD_LOAD_BALANCERS_LOCATION", Value: "zone-a", Purpose: "where load balancers are made that do not say"},
			{Name: "HCLOUD_METRICS_ENABLED", Value: "false", Purpose: "no fixed port, which two processes on one computer cannot share"},
		},
	}
	d.Documents = []dialect.DocumentType{{Name: documentType, Check: func(d simcloud.Document) error {
		_, err := keptIn(d)
		return err
	}}}
	for _, o := range append(operations(), unsupportedOperations()...) {
		d.Operations = append(d.Operations, dialect.Operation{
			Name: o.name, Method: o.method, Path: "/" + o.path, Core: o.core, Standing: cmp.Or(o.standing, dialect.Simulated),
		})
	}
	return d
}
