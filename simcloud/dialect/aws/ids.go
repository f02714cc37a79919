package aws

import (
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elbv2"
)

// ids is how AWS shows the ids of resources.
func ids() dialect.IDs { return slices.Concat(ec2.IDs(), elbv2.IDs()) }

// ShownID implements edge.IDShower.
func (Codec) ShownID(kind simcloud.Kind, id simcloud.ID) string { return ids().Shown(kind, id) }
