package hcloud

import (
	"context"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// target is a target of a load balancer: a server or an address.
type target struct {
	Type         string         `json:"type"`
	Server       *targetServer  `json:"server,omitempty"`
	IP           *targetIP      `json:"ip,omitempty"`
	HealthStatus []targetHealth `json:"health_status"`
	UsePrivateIP bool           `json:"use_private_ip"`
}

type targetServer struct {
	ID int64 `json:"id"`
}

type targetHealth struct {
	ListenPort int    `json:"listen_port"`
	Status     string `json:"status"`
}

func targetsOf(lb simcloud.LoadBalancer) []target {
	return each(lb.Targets, func(t simcloud.Target) target {
		view := target{HealthStatus: []targetHealth{}}
		if t.Address != "" {
			view.Type, view.IP = typeIP, &targetIP{t.Address}
		} else {
			view.Type, view.Server, view.UsePrivateIP = typeServer, &targetServer{numberOf(t.Instance)}, t.UsePrivateIP
		}
		status := "unhealthy"
		if t.Health == simcloud.TargetHealthy {
			status = "healthy"
		}
		for _, s := range servicesOf(lb) {
			view.HealthStatus = append(view.HealthStatus, targetHealth{s.ListenPort, status})
		}
		return view
	})
}

// targetBody is a target in a request.
type targetBody struct {
	Type          string         `json:"type"`
	Server        *targetServer  `json:"server"`
	LabelSelector *labelSelector `json:"label_selector"`
	IP            *targetIP      `json:"ip"`
	UsePrivateIP  bool           `json:"use_private_ip"`
}

type labelSelector struct {
	Selector string `json:"selector"`
}

type targetIP struct {
	IP string `json:"ip"`
}

// The types of targets.
const (
	typeServer        = "server"
	typeIP            = "ip"
	typeLabelSelector = "label_selector"
)

// key is the target that a request names: the id of an instance, or an address.
func (b targetBody) key() (simcloud.ID, error) {
	switch {
	case b.Type == "":
		return "", missing("type")
	case b.Type == typeLabelSelector:
		return "", unsupported("targets by label selector")
	case b.Type == typeIP:
		return b.address()
	case b.Type != typeServer:
		return "", wrong("type", "%q is not allowed: must be one of server, label_selector, ip", b.Type)
	case b.Server == nil || b.Server.ID <= 0:
		return "", missing("server.id")
	}
	return idOf(instancePrefix, b.Server.ID), nil
}

// subjects are the resources beside the load balancer that an action on a target is about.
func (b targetBody) subjects() []subject {
	if b.Type == typeServer {
		return []subject{{b.Server.ID, "server"}}
	}
	return nil
}

func (c call) addTarget() (edge.Reply, error) {
	body, err := decode[targetBody](c)
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.editing(func(ctx context.Context, lb simcloud.LoadBalancer, opts ...simcloud.CallOption) (loadBalancerResult, error) {
		spec, err := c.added(ctx, body, lb)
		if err != nil {
			return loadBalancerResult{}, err
		}
		class, err := c.typeOfNow(ctx, lb)
		if err != nil {
			return loadBalancerResult{}, err
		}
		if len(lb.Targets) >= class.MaxTargets {
			return loadBalancerResult{}, tooManyTargets(class)
		}
		return c.cloud.CreateTarget(ctx, lb.ID, spec, opts...)
	})
	if err != nil {
		return edge.Reply{}, err
	}
	return c.balanced(result, nil, body.subjects()...)
}

func tooManyTargets(class loadBalancerType) error {
	return refuse(simcloud.Capacity, codeLimitExceeded, "a load balancer cannot have more than %d targets", class.MaxTargets)
}

// added is the target of a request for a load balancer, if that can have it.
func (c call) added(ctx context.Context, body targetBody, lb simcloud.LoadBalancer) (simcloud.TargetSpec, error) {
	id, err := body.key()
	if err != nil {
		return simcloud.TargetSpec{}, err
	}
	if body.Type == typeIP {
		return c.addedIP(ctx, string(id), lb)
	}
	if slices.ContainsFunc(lb.Targets, func(t simcloud.Target) bool { return t.Instance == id }) {
		return simcloud.TargetSpec{}, refuse(simcloud.AlreadyExists, codeTargetDefined, "the server %d is a target already", numberOf(id))
	}
	instance, err := c.cloud.GetInstance(ctx, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		return simcloud.TargetSpec{}, wrong("server.id", "server with ID '%d' not found", numberOf(id))
	}
	if err != nil {
		return simcloud.TargetSpec{}, err
	}
	return simcloud.TargetSpec{Instance: id, UsePrivateIP: body.UsePrivateIP}, canReach(lb, instance, body.UsePrivateIP)
}

// canReach reports why a load balancer cannot reach an instance by its public or private address.
func canReach(lb simcloud.LoadBalancer, instance simcloud.Instance, byPrivateIP bool) error {
	switch {
	case byPrivateIP && !slices.ContainsFunc(lb.VIPs, private):
		return refuse(simcloud.Invalid, codeNotAttached, "the load balancer is not attached to a network")
	case byPrivateIP && !slices.ContainsFunc(instance.Networks(), lb.AttachedTo):
		return refuse(simcloud.Invalid, codeServerNotAttached, "the server %d is not attached to the network of the load balancer", numberOf(instance.ID))
	case byPrivateIP:
		return nil
	case !publicEnabled(lb):
		return refuse(simcloud.Invalid, codePublicDisabled, "the public interface of the load balancer is disabled")
	case !hasPublicIPv4(instance):
		return refuse(simcloud.Invalid, codeMissingIPv4, "public ipv4 is required: the server %d has none", numberOf(instance.ID))
	}
	return nil
}

func hasPublicIPv4(instance simcloud.Instance) bool {
	return slices.ContainsFunc(instance.Addresses, func(a simcloud.Address) bool {
		addr, err := netip.ParseAddr(a.Address)
		return err == nil && addr.Is4() && a.Scope == simcloud.ScopePublic
	})
}

func (c call) removeTarget() (edge.Reply, error) {
	body, err := decode[targetBody](c)
	if err != nil {
		return edge.Reply{}, err
	}
	key, err := body.key()
	if err != nil {
		return edge.Reply{}, err
	}
	result, err := c.cloud.DeleteTarget(c.ctx(), c.id, key)
	return c.balanced(result, err, body.subjects()...)
}
