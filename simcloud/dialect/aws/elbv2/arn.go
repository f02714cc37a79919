package elbv2

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// arnPrefix is how the ARN of each resource begins, and its parts.
const (
	arnPrefix   = "arn:aws:elasticloadbalancing:"
	groupPrefix = "tg-"
)

// namer makes ARNs. They end in the ids of the cloud, so they lead back.
type namer struct{ region simcloud.ID }

func namerOf(c service.Call) namer { return namer{c.Region} }

func (n namer) arn(meta simcloud.Meta, resource ...string) string {
	return arnPrefix + string(n.region) + ":" + service.Account(meta.Project) + ":" + strings.Join(resource, "/")
}

func (n namer) balancer(lb simcloud.LoadBalancer) string {
	return n.arn(lb.Meta, "loadbalancer", "net", lb.Name, string(lb.ID))
}

func (n namer) listener(lb simcloud.LoadBalancer, l simcloud.Listener) string {
	return n.arn(lb.Meta, "listener", "net", lb.Name, string(lb.ID), string(l.ID))
}

func (n namer) group(g simcloud.TargetGroup) string {
	return n.arn(g.Meta, "targetgroup", g.Name, strings.TrimPrefix(string(g.ID), groupPrefix))
}

// The kinds of resources that have ARNs, as the ARNs and the errors call them.
const (
	kindBalancer = "loadbalancer"
	kindListener = "listener"
	kindGroup    = "targetgroup"
)

// named is what an ARN leads to: a load balancer, a listener of one, or a target group.
type named struct {
	kind         string
	id, listener simcloud.ID
}

// read is the resource of an ARN; false for a text that is no ARN of a resource that the dialect has.
func read(arn string) (named, bool) {
	rest, ok := strings.CutPrefix(arn, arnPrefix)
	parts := strings.SplitN(rest, ":", 3) // the region, the account and the resource
	if !ok || len(parts) < 3 {
		return named{}, false
	}
	switch path := strings.Split(parts[2], "/"); {
	case len(path) == 4 && path[0] == kindBalancer && path[1] == "net":
		return named{kind: kindBalancer, id: simcloud.ID(path[3])}, true
	case len(path) == 5 && path[0] == kindListener && path[1] == "net":
		return named{kind: kindListener, id: simcloud.ID(path[3]), listener: simcloud.ID(path[4])}, true
	case len(path) == 3 && path[0] == kindGroup:
		return named{kind: kindGroup, id: service.FromNumber("", path[2], groupPrefix)}, true
	default:
		return named{}, false
	}
}

// titles are what errors call the kinds.
var titles = map[string]string{kindBalancer: "load balancer", kindListener: "listener", kindGroup: "target group"}

// readAs is read for the ARN of one kind.
func readAs(kind, arn string) (named, error) {
	of, ok := read(arn)
	if !ok || of.kind != kind {
		return named{}, service.Refuse(simcloud.Invalid, "ValidationError", "'%s' is not a valid %s ARN", query.Clip(arn), titles[kind])
	}
	return of, nil
}

// missing is the error for the ARN of a resource that does not exist.
func missing(kind string) error {
	return service.Refuse(simcloud.NotFound, codeMissing[kind], "One or more %ss not found", titles[kind])
}

// codeMissing has the codes for resources that do not exist.
var codeMissing = map[string]string{kindBalancer: "LoadBalancerNotFound", kindListener: "ListenerNotFound", kindGroup: "TargetGroupNotFound"}

// findBalancer returns the load balancer of an ARN.
func (n namer) findBalancer(c service.Call, arn string) (simcloud.LoadBalancer, error) {
	of, err := readAs(kindBalancer, arn)
	if err != nil {
		return simcloud.LoadBalancer{}, err
	}
	lb, err := c.Cloud.GetLoadBalancer(c.Ctx(), of.id)
	switch {
	case absent(err), err == nil && (!visible(lb) || n.balancer(lb) != arn):
		return lb, missing(kindBalancer)
	default:
		return lb, err
	}
}

// balancerOf is findBalancer for what needs no other ARN.
func balancerOf(c service.Call, arn string) (lb simcloud.LoadBalancer, err error) {
	n := namerOf(c)
	return n.findBalancer(c, arn)
}

// findListener returns the listener of an ARN, with its load balancer.
func (n namer) findListener(c service.Call, arn string) (lb simcloud.LoadBalancer, _ simcloud.Listener, err error) {
	of, err := readAs(kindListener, arn)
	if err != nil {
		return lb, simcloud.Listener{}, err
	}
	if lb, err = c.Cloud.GetLoadBalancer(c.Ctx(), of.id); err != nil && !absent(err) {
		return lb, simcloud.Listener{}, err
	}
	if err == nil && visible(lb) {
		for _, l := range lb.Listeners {
			if l.ID == of.listener && n.listener(lb, l) == arn {
				return lb, l, nil
			}
		}
	}
	return lb, simcloud.Listener{}, missing(kindListener)
}

// findGroup returns the target group of an ARN.
func (n namer) findGroup(c service.Call, arn string) (simcloud.TargetGroup, error) {
	of, err := readAs(kindGroup, arn)
	if err != nil {
		return simcloud.TargetGroup{}, err
	}
	g, err := c.Cloud.GetTargetGroup(c.Ctx(), of.id)
	switch {
	case absent(err), err == nil && (!simulated(g) || n.group(g) != arn):
		return g, missing(kindGroup)
	default:
		return g, err
	}
}

// absent reports whether an error is that something does not exist.
func absent(err error) bool { return simcloud.CodeOf(err) == simcloud.NotFound }

// idIn is the id in the ARN of a parameter, for the journal and for fault rules; empty when it has none.
func idIn(f query.Form, parameter string) simcloud.ID {
	of, _ := read(f.Text(parameter))
	return of.id
}

// groupOf is findGroup for what needs no other ARN.
func groupOf(c service.Call, arn string) (g simcloud.TargetGroup, err error) {
	n := namerOf(c)
	return n.findGroup(c, arn)
}
