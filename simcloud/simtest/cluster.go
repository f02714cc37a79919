package simtest

import "github.com/simcloud-dev/simcloud/simcloud"

type clusterResult = simcloud.Result[simcloud.Cluster]

func testClusters(s suite) {
	s.run("GetCluster/NotFound", func(f *fixture) {
		_, err := f.GetCluster(f.ctx, "cluster-1")
		f.want(err, simcloud.NotFound)
		f.wantResource(err, "cluster/cluster-1")
	})
	s.run("CreateCluster/OK", func(f *fixture) {
		spec := simcloud.ClusterSpec{Name: "prod", Endpoint: "https://10.0.0.1:6443", Labels: map[string]string{"k": "v"}}
		r := must[clusterResult](f)(f.CreateCluster(f.ctx, spec))
		f.done(r.Operation, "CreateCluster", simcloud.KindCluster, "cluster-1")
		f.equal("cluster", []any{r.Resource.Name, r.Resource.Endpoint, r.Resource.Labels}, []any{spec.Name, spec.Endpoint, spec.Labels})
		f.equal("as read", must[simcloud.Cluster](f)(f.GetCluster(f.ctx, "cluster-1")), r.Resource)
	})
	s.run("CreateCluster/Invalid", func(f *fixture) {
		_, err := f.CreateCluster(f.ctx, simcloud.ClusterSpec{Name: "a b", Endpoint: "10.0.0.1"})
		f.wantField(err, "name")
		f.wantField(err, "endpoint")
	})
	s.run("CreateCluster/NameTaken", func(f *fixture) {
		id := f.cluster("prod")
		_, err := f.CreateCluster(f.ctx, simcloud.ClusterSpec{Name: "prod", Endpoint: "https://b"})
		f.want(err, simcloud.AlreadyExists)
		drop(f)(f.DeleteCluster(f.ctx, id))
		f.cluster("prod")
	})
	s.run("UpdateCluster/OK", func(f *fixture) {
		id := f.cluster("prod")
		update := simcloud.ClusterUpdate{Endpoint: ptr("https://b:443"), Labels: &map[string]string{"x": "y"}}
		r := must[clusterResult](f)(f.UpdateCluster(f.ctx, id, update))
		f.done(r.Operation, "UpdateCluster", simcloud.KindCluster, id)
		f.equal("cluster", []any{r.Resource.Name, r.Resource.Endpoint, r.Resource.Labels}, []any{"prod", "https://b:443", *update.Labels})
		f.equal("as read", must[simcloud.Cluster](f)(f.GetCluster(f.ctx, id)), r.Resource)
	})
	s.run("UpdateCluster/Invalid", func(f *fixture) {
		_, err := f.UpdateCluster(f.ctx, f.cluster("prod"), simcloud.ClusterUpdate{Endpoint: ptr("ftp://b")})
		f.wantField(err, "endpoint")
	})
	s.run("DeleteCluster/OK", func(f *fixture) {
		id := f.cluster("prod")
		op := must[simcloud.Operation](f)(f.DeleteCluster(f.ctx, id))
		f.done(op, "DeleteCluster", simcloud.KindCluster, id)
		_, err := f.GetCluster(f.ctx, id)
		f.want(err, simcloud.NotFound)
	})
}
