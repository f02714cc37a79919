package elb

import (
	"encoding/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// attributes are those of a load balancer; in a request those that it changes.
type attributes struct {
	CrossZone *toggled    `aws:"CrossZoneLoadBalancing" json:"zones,omitempty"`
	AccessLog *accessLog  `aws:"AccessLog" json:"log,omitempty"`
	Draining  *draining   `aws:"ConnectionDraining" json:"drain,omitempty"`
	Settings  *connection `aws:"ConnectionSettings" json:"conn,omitempty"`
}

type toggled struct {
	Enabled bool `aws:"Enabled" json:"on,omitempty"`
}

type accessLog struct {
	Enabled  bool   `aws:"Enabled" json:"on,omitempty"`
	Bucket   string `aws:"S3BucketName" json:"bucket,omitempty"`
	Prefix   string `aws:"S3BucketPrefix" json:"prefix,omitempty"`
	Interval *int   `aws:"EmitInterval" json:"every,omitempty"`
}

type draining struct {
	Enabled bool `aws:"Enabled" json:"on,omitempty"`
	Timeout *int `aws:"Timeout" json:"for,omitempty"`
}

type connection struct {
	IdleTimeout int `aws:"IdleTimeout,required" json:"idle"`
}

// idleSeconds is how long a connection without data lasts in a new load balancer, and maxIdle at most.
const (
	firstIdle = 60
	maxIdle   = 4000
)

// attributesOf are those of a load balancer, all of them.
func attributesOf(lb simcloud.LoadBalancer) attributes {
	all := attributes{CrossZone: &toggled{}, AccessLog: &accessLog{}, Draining: &draining{}, Settings: &connection{firstIdle}}
	var kept attributes
	if json.Unmarshal([]byte(lb.Labels[labelAttributes]), &kept) == nil {
		all = all.with(kept)
	}
	return all
}

// with returns the attributes with those that others set.
func (a attributes) with(other attributes) attributes {
	if other.CrossZone != nil {
		a.CrossZone = other.CrossZone
	}
	if other.AccessLog != nil {
		a.AccessLog = other.AccessLog
	}
	if other.Draining != nil {
		a.Draining = other.Draining
	}
	if other.Settings != nil {
		a.Settings = other.Settings
	}
	return a
}

func (a attributes) idleSeconds() int { return a.Settings.IdleTimeout }

type describeAttributesRequest struct {
	Name string `aws:"LoadBalancerName,required"`
}

type described struct {
	Attributes attributes `aws:"LoadBalancerAttributes"`
}

func describeAttributes(c service.Call, in describeAttributesRequest) (out described, err error) {
	lb, err := find(c, in.Name)
	return described{attributesOf(lb)}, err
}

type modifyAttributesRequest struct {
	Name       string      `aws:"LoadBalancerName,required"`
	Attributes *attributes `aws:"LoadBalancerAttributes,required"`
}

type modified struct {
	Name       string     `aws:"LoadBalancerName"`
	Attributes attributes `aws:"LoadBalancerAttributes"`
}

// modifyAttributes changes attributes. The CCM sends those that are there at each sync: the cloud changes nothing then.
func modifyAttributes(c service.Call, in modifyAttributesRequest) (out modified, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	now := attributesOf(lb).with(*in.Attributes)
	if idle := now.idleSeconds(); idle < 1 || idle > maxIdle {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "ConnectionSettings.IdleTimeout is %d: must be between 1 and %d", idle, maxIdle)
	}
	more := labels{}
	if err := more.putJSON(labelAttributes, now, "LoadBalancerAttributes"); err != nil {
		return out, nil, err
	}
	out = modified{lb.Name, now}
	err = eachListener(c, lb, func(config *simcloud.ListenerConfig) { config.IdleTimeoutSeconds = now.idleSeconds() })
	if err != nil {
		return out, nil, err
	}
	meta, err := relabel(c, lb, more)
	return out, meta, err
}
