package ec2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// IDs is how EC2 shows the ids of resources. Instances, subnets and security groups have those of the cloud.
func IDs() dialect.IDs {
	return dialect.IDs{
		numbered(simcloud.KindNetwork, vpcPrefix, networkPrefix),
		numbered(simcloud.KindRouteTable, tablePrefix, routeTablePrefix),
		numbered(simcloud.KindFloatingIP, allocationPrefix, floatingIPPrefix),
		{Kind: simcloud.KindFloatingIP, Read: func(text string) simcloud.ID {
			return service.FromNumber(associationPrefix, text, floatingIPPrefix)
		}},
	}
}

// numbered is a form that has another prefix than the cloud's ids, and the same number.
func numbered(kind simcloud.Kind, prefix, cloudPrefix string) dialect.IDForm {
	return dialect.IDForm{
		Kind: kind,
		Show: func(id simcloud.ID) string { return service.Numbered(prefix, id) },
		Read: func(text string) simcloud.ID { return service.FromNumber(prefix, text, cloudPrefix) },
	}
}
