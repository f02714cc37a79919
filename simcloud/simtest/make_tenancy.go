package simtest

import (
	"github.com/simcloud-dev/simcloud/simcloud"
)

// project makes the project p.
func (f *fixture) project() simcloud.Project {
	f.Helper()
	return must[simcloud.Result[simcloud.Project]](f)(f.CreateProject(f.ctx, simcloud.ProjectSpec{Name: "p"})).Resource
}

// aProject makes a project.
func aProject(f *fixture) simcloud.ID { return f.project().ID }

// token makes a token.
func (f *fixture) token(spec simcloud.TokenSpec) simcloud.Token {
	f.Helper()
	return must[simcloud.Result[simcloud.Token]](f)(f.CreateToken(f.ctx, spec)).Resource
}

// aToken makes a token that may read.
func aToken(f *fixture) simcloud.ID {
	return f.token(simcloud.TokenSpec{Name: "t", Role: simcloud.RoleReader}).ID
}

// getToken reads a token that must be there.
func (f *fixture) getToken(id simcloud.ID) simcloud.Token {
	f.Helper()
	return must[simcloud.Token](f)(f.GetToken(f.ctx, id))
}

// cluster registers a cluster.
func (f *fixture) cluster(name string) simcloud.ID {
	f.Helper()
	return must[simcloud.Result[simcloud.Cluster]](f)(f.CreateCluster(f.ctx, simcloud.ClusterSpec{Name: name, Endpoint: "https://a"})).Resource.ID
}

// aCluster registers a cluster.
func aCluster(f *fixture) simcloud.ID { return f.cluster("c") }

// limit sets the limit of the default project.
func (f *fixture) limit(resource simcloud.QuotaResource, limit int) simcloud.Quota {
	f.Helper()
	id := simcloud.QuotaID(simcloud.DefaultProject, resource)
	return must[simcloud.Result[simcloud.Quota]](f)(f.SetQuota(f.ctx, id, simcloud.QuotaSpec{Limit: limit})).Resource
}

// usage returns what the default project has, without what it has none of.
func (f *fixture) usage() map[simcloud.QuotaResource]int {
	f.Helper()
	used := map[simcloud.QuotaResource]int{}
	for _, q := range must[[]simcloud.Quota](f)(simcloud.ListAll(f.ctx, f.ListQuotas, simcloud.ListOptions{})) {
		if q.Project == simcloud.DefaultProject && q.Used != 0 {
			used[q.Resource] = q.Used
		}
	}
	return used
}
