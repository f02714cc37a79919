package tenancy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/simtest/suite"
)

// makers make one more of what a quota counts; n is how many there are.
var makers = map[simcloud.QuotaResource]func(f *suite.Fixture, n int) error{
	simcloud.QuotaInstances: func(f *suite.Fixture, _ int) error { return oneMore(f) },
	simcloud.QuotaVCPUs:     func(f *suite.Fixture, _ int) error { return oneMore(f) },
	simcloud.QuotaMemoryMiB: func(f *suite.Fixture, _ int) error { return oneMore(f) },
	simcloud.QuotaVolumes: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 5}))
	},
	simcloud.QuotaVolumeGiB: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateVolume(f.Ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 5}))
	},
	simcloud.QuotaLoadBalancers: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateLoadBalancer(f.Ctx, simcloud.LoadBalancerSpec{Name: "a"}))
	},
	simcloud.QuotaFloatingIPs: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateFloatingIP(f.Ctx, simcloud.FloatingIPSpec{Name: "a"}))
	},
	simcloud.QuotaNetworks: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateNetwork(f.Ctx, simcloud.NetworkSpec{Name: "a", CIDRs: []string{"10.0.0.0/8"}}))
	},
	simcloud.QuotaSubnets: func(f *suite.Fixture, n int) error {
		return mutationErr(f.CreateSubnet(f.Ctx, simcloud.SubnetSpec{Name: "a", CIDR: fmt.Sprintf("10.0.%d.0/24", n)}))
	},
	simcloud.QuotaRouteTables: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateRouteTable(f.Ctx, simcloud.RouteTableSpec{Name: "a"}))
	},
	simcloud.QuotaSecurityGroups: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateSecurityGroup(f.Ctx, simcloud.SecurityGroupSpec{Name: "a"}))
	},
	simcloud.QuotaTargetGroups: func(f *suite.Fixture, _ int) error {
		return mutationErr(f.CreateTargetGroup(f.Ctx, simcloud.TargetGroupSpec{Name: "a", Protocol: simcloud.ProtocolTCP, Port: 80}))
	},
	simcloud.QuotaSSHKeys: func(f *suite.Fixture, n int) error {
		return mutationErr(f.CreateSSHKey(f.Ctx, simcloud.SSHKeySpec{Name: "a", PublicKey: suite.PublicKey(n)}))
	},
}

func oneMore(f *suite.Fixture) error {
	return mutationErr(f.CreateInstance(f.Ctx, simcloud.InstanceSpec{Name: "a"}))
}

// testLimits: nothing is made or grows beyond a limit.
func testLimits(s suite.Runner) {
	for _, resource := range simcloud.QuotaResources() {
		s.Test("SetQuota/Limits_"+string(resource), func(f *suite.Fixture) {
			more := func() error { return makers[resource](f, f.Usage()[resource]) }
			before := f.Usage()[resource]
			if err := more(); err != nil {
				f.Fatal(err)
			}
			used := f.Usage()[resource]
			q := f.Limit(resource, 2*used-before) // room for one more
			if err := more(); err != nil {
				f.Fatalf("up to the limit: %v", err)
			}
			revision := f.Revision()
			wantExceeded(f, more(), resource, q.Limit, q.Limit)
			f.Equal("revision after the refusal", f.Revision(), revision)
			f.Limit(resource, 0)
			wantExceeded(f, more(), resource, 0, q.Limit)
			f.Limit(resource, simcloud.Unlimited)
			if err := more(); err != nil {
				f.Errorf("without a limit: %v", err)
			}
		})
	}
	s.Test("ResizeInstance/QuotaExceeded", func(f *suite.Fixture) {
		id := f.Instance("a").ID // 2 vCPUs
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, id))
		f.Limit(simcloud.QuotaVCPUs, 4)
		_, err := f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "large"})
		wantExceeded(f, err, simcloud.QuotaVCPUs, 4, 2)
		f.Equal("type", f.MustGetInstance(id).Type, simcloud.ID("small"))
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "medium"}))
		f.Equal("use", f.Usage()[simcloud.QuotaVCPUs], 4)
		f.Limit(simcloud.QuotaVCPUs, 0)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.ResizeInstance(f.Ctx, id, simcloud.InstanceResize{Type: "small"}))
		f.Equal("use of what has shrunk", f.Usage()[simcloud.QuotaMemoryMiB], 4096)
	})
	s.Test("ResizeVolume/QuotaExceeded", func(f *suite.Fixture) {
		spec := simcloud.VolumeSpec{Name: "a", SizeGiB: 5}
		id := suite.Must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.Ctx, spec)).Resource.ID
		f.Limit(simcloud.QuotaVolumeGiB, 8)
		_, err := f.ResizeVolume(f.Ctx, id, simcloud.VolumeResize{SizeGiB: 9})
		wantExceeded(f, err, simcloud.QuotaVolumeGiB, 8, 5)
		suite.Must[simcloud.Result[simcloud.Volume]](f)(f.ResizeVolume(f.Ctx, id, simcloud.VolumeResize{SizeGiB: 8}))
		suite.Drop(f)(f.DeleteVolume(f.Ctx, id))
		f.Equal("use", f.Usage()[simcloud.QuotaVolumeGiB], 0)
	})
	s.Test("RecreateInstance/AtTheLimit", func(f *suite.Fixture) {
		id := f.Instance("a").ID
		f.Limit(simcloud.QuotaInstances, 1)
		f.Limit(simcloud.QuotaVCPUs, 2)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.Ctx, id))
	})
	s.Test("DeleteInstance/BeyondTheLimit", func(f *suite.Fixture) {
		f.Instance("a")
		f.Instance("b")
		f.Limit(simcloud.QuotaInstances, 0)
		suite.Must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.Ctx, "i-1"))
		suite.Drop(f)(f.DeleteInstance(f.Ctx, "i-1"))
	})
	s.TestSlow("RecreateInstance/BothCount", func(f *suite.Fixture) {
		id := f.Instance("a").ID
		f.Advance(suite.OpDuration)
		f.Limit(simcloud.QuotaInstances, 1)
		_, err := f.RecreateInstance(f.Ctx, id)
		wantExceeded(f, err, simcloud.QuotaInstances, 1, 1)
		f.Equal("state", f.MustGetInstance(id).State, simcloud.InstanceRunning)
	})
}

func mutationErr[T any](_ simcloud.Result[T], err error) error { return err }

// wantExceeded fails the test unless err is QuotaExceeded and names resource, limit and use.
func wantExceeded(f *suite.Fixture, err error, resource simcloud.QuotaResource, limit, used int) {
	f.Helper()
	f.Want(err, simcloud.QuotaExceeded)
	f.WantResource(err, "quota/"+string(simcloud.QuotaID(simcloud.DefaultProject, resource)))
	want := fmt.Sprintf("may have %d %s and has %d", limit, resource, used)
	var e *simcloud.Error
	if errors.As(err, &e) && !strings.Contains(e.Message, want) {
		f.Errorf("%q does not say %q", e.Message, want)
	}
}
