package hcloud

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// The cloud has no certificates: none is in lists, and none can be created.

func (c call) listCertificates() (edge.Reply, error) {
	return page(c, "certificates", []any{}, func(none []any) (any, error) { return none, nil })
}

func (c call) getCertificate() (edge.Reply, error) {
	return edge.Reply{}, simcloud.Errorf(simcloud.NotFound, "", "certificate with ID '%d' not found", numberOf(c.id))
}
