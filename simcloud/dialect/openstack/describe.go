package openstack

import (
	"cmp"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/barbican"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/neutron"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// Describe says what the dialect is and has.
func Describe() dialect.Dialect {
	d := dialect.Dialect{
		Variants: simcloud.VariantsOf(name),
		Name:     name, Title: "OpenStack: Keystone, Nova, Neutron, Octavia and Barbican", Path: service.Root, IDs: ids(),
		Credential:       "X-Auth-Token of a session that POST /identity/v3/auth/tokens has opened, with {token} as secret or password",
		CredentialFields: []dialect.CredentialField{{Name: "secret", Value: "{token}"}, {Name: "id", Value: "simcloud"}},
		Environment: []dialect.Variable{
			{Name: "OS_AUTH_URL", Value: "{endpoint}" + service.Root + "/identity/v3", Purpose: "Keystone, with its version"},
			{Name: "OS_AUTH_TYPE", Value: "v3applicationcredential", Purpose: "a credential needs neither user nor project"},
			{Name: "OS_APPLICATION_CREDENTIAL_ID", Value: "simcloud", Purpose: "this, or the id of the token: the secret tells who calls"},
			{Name: "OS_APPLICATION_CREDENTIAL_SECRET", Value: "{token}", Purpose: "a token of the cloud, of the role writer or admin"},
			{Name: "OS_REGION_NAME", Value: "region-1", Purpose: "the region, by which clients choose endpoints"},
		},
		Files: []dialect.File{{Name: "cloud.conf", Purpose: "--cloud-config of openstack-cloud-controller-manager", Content: configuration()}},
	}
	d.Documents = slices.Concat(barbican.Documents(), neutron.Documents())
	for _, s := range services() {
		for _, o := range s.Operations {
			d.Operations = append(d.Operations, operation(s, o, cmp.Or(o.Standing, dialect.Simulated)))
		}
		for _, o := range s.Unsupported {
			d.Operations = append(d.Operations, operation(s, o, dialect.Unsupported))
		}
	}
	return d
}

func operation(s *service.Service, o service.Operation, standing dialect.Standing) dialect.Operation {
	return dialect.Operation{Name: s.OperationName(o.Name), Method: o.Method, Path: "/" + s.Mount + o.Path, Core: o.Core, Standing: standing}
}

// configuration is what the CCM has as --cloud-config.
func configuration() string {
	return `[Global]
auth-url={endpoint}` + service.Root + `/identity/v3
application-credential-id=simcloud
application-credential-secret={token}
; The label topology.kubernetes.io/region.
region=region-1

[LoadBalancer]
; The whole of the network "default", and the first pool of floating IPs as the network that load balancers are reached from.
subnet-id=` + service.WholeSubnets.UUID("net-1") + `
floating-network-id=` + service.NamedUUID("network", "public") + `
create-monitor=true

[Route]
; The route table of the network.
router-id=` + service.Routers.UUID("rt-1") + `
`
}
