package core

import "github.com/simcloud-dev/simcloud/simcloud"

func (i *inspection) documents() {
	type name struct {
		project             simcloud.ID
		dialect, typ, named string
	}
	seen := map[name]simcloud.ID{}
	for _, d := range i.state.Documents {
		key := name{d.Project, d.Dialect, d.Type, d.Name}
		if other, taken := seen[key]; taken {
			i.fail("%s and %s are both the %s of %s with the name %q", other, d.ID, d.Type, d.Dialect, d.Name)
		}
		seen[key] = d.ID
	}
	for _, lb := range i.state.LoadBalancers {
		for _, listener := range lb.Listeners {
			for _, id := range listener.Documents {
				i.refers(simcloud.KindLoadBalancer, lb.Meta, simcloud.KindDocument, id)
			}
		}
	}
}
