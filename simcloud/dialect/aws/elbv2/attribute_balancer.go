package elbv2

import (
	"maps"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// attributeProtection is the attribute that is the protection of the cloud.
const attributeProtection = "deletion_protection.enabled"

// labelAttribute is how the labels begin that have attributes.
const labelAttribute = service.Reserved + "attribute."

// ofBalancers are the attributes of load balancers.
var ofBalancers = attributes{
	toggle("load_balancing.cross_zone.enabled", "false"),
	toggle("access_logs.s3.enabled", "false"), text("access_logs.s3.bucket", 255), text("access_logs.s3.prefix", 255),
	oneOf("dns_record.client_routing_policy", "any_availability_zone",
		"any_availability_zone", "availability_zone_affinity", "partial_availability_zone_affinity"),
	toggle("zonal_shift.config.enabled", "false"),
	toggle(attributeProtection, "false"),
}

// attributesOf are those of a load balancer, all of them.
func attributesOf(lb simcloud.LoadBalancer) []pair {
	return ofBalancers.all(func(key string) (string, bool) {
		if key == attributeProtection {
			return strconv.FormatBool(lb.Protected), true
		}
		v, ok := lb.Labels[labelAttribute+key]
		return v, ok
	})
}

type balancerAttributesRequest struct {
	ARN string `aws:"LoadBalancerArn,required"`
}

type attributesShown struct {
	Attributes []pair `aws:"Attributes"`
}

func describeAttributes(c service.Call, in balancerAttributesRequest) (out attributesShown, err error) {
	lb, err := balancerOf(c, in.ARN)
	return attributesShown{attributesOf(lb)}, err
}

type modifyBalancerAttributesRequest struct {
	ARN        string `aws:"LoadBalancerArn,required"`
	Attributes []pair `aws:"Attributes,required"`
}

// modifyAttributes changes attributes. The cloud changes nothing when they are as they were.
func modifyAttributes(c service.Call, in modifyBalancerAttributesRequest) (out attributesShown, _ *simcloud.Meta, err error) {
	lb, err := balancerOf(c, in.ARN)
	if err != nil {
		return out, nil, err
	}
	if out.Attributes, err = ofBalancers.with(attributesOf(lb), in.Attributes); err != nil {
		return out, nil, err
	}
	if valueOf(out.Attributes, "access_logs.s3.enabled") == "true" && valueOf(out.Attributes, "access_logs.s3.bucket") == "" {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The attribute 'access_logs.s3.bucket' is empty: is required when access logs are enabled")
	}
	labels := map[string]string{}
	maps.Copy(labels, lb.Labels)
	ofBalancers.keep(out.Attributes, labels, labelAttribute)
	delete(labels, labelAttribute+attributeProtection)
	protected := valueOf(out.Attributes, attributeProtection) == "true"
	changed, err := c.Cloud.UpdateLoadBalancer(c.Ctx(), lb.ID, simcloud.LoadBalancerUpdate{Labels: &labels, Protected: &protected})
	return out, &changed.Resource.Meta, err
}
