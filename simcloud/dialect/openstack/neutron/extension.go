package neutron

import (
	"net/http"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// extension is a part of the API that not every cloud has.
type extension struct {
	Alias       string `json:"alias"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Updated     string `json:"updated"`
	Links       []any  `json:"links"`
}

// The extensions that clients ask for before they change routes.
const (
	extraRouteAtomic    = "extraroute-atomic"
	allowedAddressPairs = "allowed-address-pairs"
)

// allExtensions are those that there are where the configuration takes none away.
func allExtensions() []extension {
	of := func(alias, name, description, updated string) extension {
		return extension{alias, name, description, updated, []any{}}
	}
	return []extension{
		of(allowedAddressPairs, "Allowed Address Pairs", "Provides allowed address pairs", "2013-07-23T10:00:00-00:00"),
		of("external-net", "Neutron external network", "Adds external network attribute to network resource.", "2013-01-14T10:00:00-00:00"),
		of("extraroute", "Neutron Extra Route", "Extra routes configuration for L3 router", "2013-02-01T10:00:00-00:00"),
		of(extraRouteAtomic, "Atomically add/remove extra routes", "Edit extra routes of a router on server side by atomically adding/removing extra routes", "2019-07-10T00:00:00+00:00"),
		of("port-security", "Port Security", "Provides port security", "2012-07-23T10:00:00-00:00"),
		of("router", "Neutron L3 Router", "Router abstraction for basic L3 forwarding between L2 Neutron networks and access to external networks via a NAT gateway.", "2012-07-20T10:00:00-00:00"),
		of("security-group", "security-group", "The security groups extension.", "2012-10-05T10:00:00-00:00"),
		of("standard-attr-description", "standard-attr-description", "Extension to add descriptions to standard attributes", "2016-02-10T10:00:00-00:00"),
		of("standard-attr-revisions", "Resource revision numbers", "This extension will display the revision number of neutron resources.", "2016-04-11T10:00:00-00:00"),
		of("standard-attr-tag", "Tag support for resources with standard attribute: port, subnet, network, router, floatingip, security_group", "Enables to set tag on resources with standard attribute.", "2017-01-01T00:00:00-00:00"),
		of("standard-attr-timestamp", "Resource timestamps", "Adds created_at and updated_at fields to all Neutron resources that have Neutron standard attributes.", "2016-09-12T10:00:00-00:00"),
	}
}

// extensions are those of the cloud, as it is configured.
func extensions(c service.Call) ([]extension, error) {
	variant, err := c.Variant(simcloud.VariantOpenStackExtensions)
	return slices.DeleteFunc(allExtensions(), func(e extension) bool { return variant == "no-"+e.Alias }), err
}

// extended reports whether the cloud has an extension.
func extended(c service.Call, alias string) (bool, error) {
	have, err := extensions(c)
	return slices.ContainsFunc(have, func(e extension) bool { return e.Alias == alias }), err
}

func listExtensions(c service.Call) (any, error) {
	have, err := extensions(c)
	return map[string]any{"extensions": have}, err
}

func getExtension(c service.Call) (any, error) {
	have, err := extensions(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(have, func(e extension) bool { return e.Alias == c.UUID })
	if i < 0 {
		return nil, service.Refuse(simcloud.NotFound, service.Code{Status: http.StatusNotFound, Type: "ExtensionNotFound"},
			"Extension with alias %s does not exist", clip(c.UUID))
	}
	return map[string]any{"extension": have[i]}, nil
}
