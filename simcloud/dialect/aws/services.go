package aws

import (
	"sync"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elbv2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/sts"
)

// services are those of the dialect.
var services = sync.OnceValue(func() []*service.Service {
	return []*service.Service{ec2.New(), elb.New(), elbv2.New(), sts.New()}
})
