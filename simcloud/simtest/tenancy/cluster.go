package tenancy

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

type clusterResult = simcloud.Result[simcloud.Cluster]

func testClusters(s suite.Runner) {
	s.Test("GetCluster/NotFound", func(f *suite.Fixture) {
		_, err := f.GetCluster(f.Ctx, "cluster-1")
		f.Want(err, simcloud.NotFound)
		f.WantResource(err, "cluster/cluster-1")
	})
	s.Test("CreateCluster/OK", func(f *suite.Fixture) {
		spec := simcloud.ClusterSpec{Name: "prod", Endpoint: "https://10.0.0.1:6443", Labels: map[string]string{"k": "v"}}
		r := suite.Must[clusterResult](f)(f.CreateCluster(f.Ctx, spec))
		f.Done(r.Operation, "CreateCluster", simcloud.KindCluster, "cluster-1")
		f.Equal("cluster", []any{r.Resource.Name, r.Resource.Endpoint, r.Resource.Labels}, []any{spec.Name, spec.Endpoint, spec.Labels})
		f.Equal("as read", suite.Must[simcloud.Cluster](f)(f.GetCluster(f.Ctx, "cluster-1")), r.Resource)
	})
	s.Test("CreateCluster/Invalid", func(f *suite.Fixture) {
		_, err := f.CreateCluster(f.Ctx, simcloud.ClusterSpec{Name: "a b", Endpoint: "10.0.0.1"})
		f.WantField(err, "name")
		f.WantField(err, "endpoint")
	})
	s.Test("CreateCluster/NameTaken", func(f *suite.Fixture) {
		id := f.Cluster("prod")
		_, err := f.CreateCluster(f.Ctx, simcloud.ClusterSpec{Name: "prod", Endpoint: "https://b"})
		f.Want(err, simcloud.AlreadyExists)
		suite.Drop(f)(f.DeleteCluster(f.Ctx, id))
		f.Cluster("prod")
	})
	s.Test("UpdateCluster/OK", func(f *suite.Fixture) {
		id := f.Cluster("prod")
		update := simcloud.ClusterUpdate{Endpoint: suite.Ptr("https://b:443"), Labels: &map[string]string{"x": "y"}}
		r := suite.Must[clusterResult](f)(f.UpdateCluster(f.Ctx, id, update))
		f.Done(r.Operation, "UpdateCluster", simcloud.KindCluster, id)
		f.Equal("cluster", []any{r.Resource.Name, r.Resource.Endpoint, r.Resource.Labels}, []any{"prod", "https://b:443", *update.Labels})
		f.Equal("as read", suite.Must[simcloud.Cluster](f)(f.GetCluster(f.Ctx, id)), r.Resource)
	})
	s.Test("UpdateCluster/Invalid", func(f *suite.Fixture) {
		_, err := f.UpdateCluster(f.Ctx, f.Cluster("prod"), simcloud.ClusterUpdate{Endpoint: suite.Ptr("ftp://b")})
		f.WantField(err, "endpoint")
	})
	s.Test("DeleteCluster/OK", func(f *suite.Fixture) {
		id := f.Cluster("prod")
		op := suite.Must[simcloud.Operation](f)(f.DeleteCluster(f.Ctx, id))
		f.Done(op, "DeleteCluster", simcloud.KindCluster, id)
		_, err := f.GetCluster(f.Ctx, id)
		f.Want(err, simcloud.NotFound)
	})
}
