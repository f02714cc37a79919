package elbv2

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
)

// IDs are the ARNs of load balancers and target groups. They are only read: an ARN has the name of the resource and the
// region of the cloud too.
func IDs() dialect.IDs {
	readOf := func(kinds ...string) func(string) simcloud.ID {
		return func(text string) simcloud.ID {
			for _, kind := range kinds {
				if of, err := readAs(kind, text); err == nil {
					return of.id
				}
			}
			return ""
		}
	}
	return dialect.IDs{
		{Kind: simcloud.KindLoadBalancer, Read: readOf(kindBalancer, kindListener)},
		{Kind: simcloud.KindTargetGroup, Read: readOf(kindGroup)},
	}
}
