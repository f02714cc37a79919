package core

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) clusters() seedPart {
	p := &kindPart[simcloud.Cluster, *simcloud.Cluster, simcloud.ClusterSpec]{s: s, bucket: store.Clusters}
	p.wanted, p.listed = entries(s.want.Clusters, "clusters", func(c simcloud.ClusterSpec) string { return c.Name })
	p.fits = func(simcloud.Cluster, simcloud.ClusterSpec) bool { return true }
	p.delete = func(have simcloud.Cluster) error {
		_, err := s.do.DeleteCluster(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.ClusterSpec) error {
		_, err := s.do.CreateCluster(s.ctx, want)
		return err
	}
	p.update = func(have simcloud.Cluster, want simcloud.ClusterSpec) error {
		update := simcloud.ClusterUpdate{Labels: newLabels(have.Labels, want.Labels)}
		if have.Endpoint != want.Endpoint {
			update.Endpoint = &want.Endpoint
		}
		if update == (simcloud.ClusterUpdate{}) {
			return nil
		}
		_, err := s.do.UpdateCluster(s.ctx, have.ID, update)
		return err
	}
	return p
}

// setQuotas sets the limits of the project; those that a list leaves out are lifted.
func (s *seeding) setQuotas() error {
	if s.want.Quotas == nil {
		return nil
	}
	for _, resource := range simcloud.QuotaResources() {
		limit, wanted := (*s.want.Quotas)[resource]
		if !wanted {
			limit = simcloud.Unlimited
		}
		id := simcloud.QuotaID(s.caller.Project, resource)
		quota, err := findQuota(s.tx, s.caller, id)
		if err != nil {
			return err
		}
		if quota.Limit == limit {
			if wanted {
				s.report.Unchanged++
			}
			continue
		}
		if _, err := s.do.SetQuota(s.ctx, id, simcloud.QuotaSpec{Limit: limit}); err != nil {
			return inPart("quotas["+string(resource)+"].", err)
		}
		s.report.Updated = append(s.report.Updated, simcloud.Ref(simcloud.KindQuota, simcloud.ID(resource)))
	}
	return nil
}
