package simtest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// makers make one more of what a quota counts; n is how many there are.
var makers = map[simcloud.QuotaResource]func(f *fixture, n int) error{
	simcloud.QuotaInstances: func(f *fixture, _ int) error { return oneMore(f) },
	simcloud.QuotaVCPUs:     func(f *fixture, _ int) error { return oneMore(f) },
	simcloud.QuotaMemoryMiB: func(f *fixture, _ int) error { return oneMore(f) },
	simcloud.QuotaVolumes: func(f *fixture, _ int) error {
		return mutationErr(f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 5}))
	},
	simcloud.QuotaVolumeGiB: func(f *fixture, _ int) error {
		return mutationErr(f.CreateVolume(f.ctx, simcloud.VolumeSpec{Name: "a", SizeGiB: 5}))
	},
	simcloud.QuotaLoadBalancers: func(f *fixture, _ int) error {
		return mutationErr(f.CreateLoadBalancer(f.ctx, simcloud.LoadBalancerSpec{Name: "a"}))
	},
	simcloud.QuotaFloatingIPs: func(f *fixture, _ int) error {
		return mutationErr(f.CreateFloatingIP(f.ctx, simcloud.FloatingIPSpec{Name: "a"}))
	},
	simcloud.QuotaNetworks: func(f *fixture, _ int) error {
		return mutationErr(f.CreateNetwork(f.ctx, simcloud.NetworkSpec{Name: "a", CIDRs: []string{"10.0.0.0/8"}}))
	},
	simcloud.QuotaSubnets: func(f *fixture, n int) error {
		return mutationErr(f.CreateSubnet(f.ctx, simcloud.SubnetSpec{Name: "a", CIDR: fmt.Sprintf("10.0.%d.0/24", n)}))
	},
	simcloud.QuotaRouteTables: func(f *fixture, _ int) error {
		return mutationErr(f.CreateRouteTable(f.ctx, simcloud.RouteTableSpec{Name: "a"}))
	},
	simcloud.QuotaSSHKeys: func(f *fixture, n int) error {
		blob := fmt.Appendf(nil, "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20%032d", n)
		spec := simcloud.SSHKeySpec{Name: "a", PublicKey: "ssh-ed25519 " + base64.StdEncoding.EncodeToString(blob)}
		return mutationErr(f.CreateSSHKey(f.ctx, spec))
	},
}

func oneMore(f *fixture) error {
	return mutationErr(f.CreateInstance(f.ctx, simcloud.InstanceSpec{Name: "a"}))
}

// testLimits: nothing is made or grows beyond a limit.
func testLimits(s suite) {
	for _, resource := range simcloud.QuotaResources() {
		s.run("SetQuota/Limits_"+string(resource), func(f *fixture) {
			more := func() error { return makers[resource](f, f.usage()[resource]) }
			before := f.usage()[resource]
			if err := more(); err != nil {
				f.Fatal(err)
			}
			used := f.usage()[resource]
			q := f.limit(resource, 2*used-before) // room for one more
			if err := more(); err != nil {
				f.Fatalf("up to the limit: %v", err)
			}
			revision := f.revision()
			wantExceeded(f, more(), resource, q.Limit, q.Limit)
			f.equal("revision after the refusal", f.revision(), revision)
			f.limit(resource, 0)
			wantExceeded(f, more(), resource, 0, q.Limit)
			f.limit(resource, simcloud.Unlimited)
			if err := more(); err != nil {
				f.Errorf("without a limit: %v", err)
			}
		})
	}
	s.run("ResizeInstance/QuotaExceeded", func(f *fixture) {
		id := f.instance("a").ID // 2 vCPUs
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, id))
		f.limit(simcloud.QuotaVCPUs, 4)
		_, err := f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "large"})
		wantExceeded(f, err, simcloud.QuotaVCPUs, 4, 2)
		f.equal("type", f.getInstance(id).Type, simcloud.ID("small"))
		must[simcloud.Result[simcloud.Instance]](f)(f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "medium"}))
		f.equal("use", f.usage()[simcloud.QuotaVCPUs], 4)
		f.limit(simcloud.QuotaVCPUs, 0)
		must[simcloud.Result[simcloud.Instance]](f)(f.ResizeInstance(f.ctx, id, simcloud.InstanceResize{Type: "small"}))
		f.equal("use of what has shrunk", f.usage()[simcloud.QuotaMemoryMiB], 4096)
	})
	s.run("ResizeVolume/QuotaExceeded", func(f *fixture) {
		spec := simcloud.VolumeSpec{Name: "a", SizeGiB: 5}
		id := must[simcloud.Result[simcloud.Volume]](f)(f.CreateVolume(f.ctx, spec)).Resource.ID
		f.limit(simcloud.QuotaVolumeGiB, 8)
		_, err := f.ResizeVolume(f.ctx, id, simcloud.VolumeResize{SizeGiB: 9})
		wantExceeded(f, err, simcloud.QuotaVolumeGiB, 8, 5)
		must[simcloud.Result[simcloud.Volume]](f)(f.ResizeVolume(f.ctx, id, simcloud.VolumeResize{SizeGiB: 8}))
		drop(f)(f.DeleteVolume(f.ctx, id))
		f.equal("use", f.usage()[simcloud.QuotaVolumeGiB], 0)
	})
	s.run("RecreateInstance/AtTheLimit", func(f *fixture) {
		id := f.instance("a").ID
		f.limit(simcloud.QuotaInstances, 1)
		f.limit(simcloud.QuotaVCPUs, 2)
		must[simcloud.Result[simcloud.Instance]](f)(f.RecreateInstance(f.ctx, id))
	})
	s.run("DeleteInstance/BeyondTheLimit", func(f *fixture) {
		f.instance("a")
		f.instance("b")
		f.limit(simcloud.QuotaInstances, 0)
		must[simcloud.Result[simcloud.Instance]](f)(f.StopInstance(f.ctx, "i-1"))
		drop(f)(f.DeleteInstance(f.ctx, "i-1"))
	})
	s.runSlow("RecreateInstance/BothCount", func(f *fixture) {
		id := f.instance("a").ID
		f.advance(opDuration)
		f.limit(simcloud.QuotaInstances, 1)
		_, err := f.RecreateInstance(f.ctx, id)
		wantExceeded(f, err, simcloud.QuotaInstances, 1, 1)
		f.equal("state", f.getInstance(id).State, simcloud.InstanceRunning)
	})
}

func mutationErr[T any](_ simcloud.Result[T], err error) error { return err }

// wantExceeded fails the test unless err is QuotaExceeded and names resource, limit and use.
func wantExceeded(f *fixture, err error, resource simcloud.QuotaResource, limit, used int) {
	f.Helper()
	f.want(err, simcloud.QuotaExceeded)
	f.wantResource(err, "quota/"+string(simcloud.QuotaID(simcloud.DefaultProject, resource)))
	want := fmt.Sprintf("may have %d %s and has %d", limit, resource, used)
	var e *simcloud.Error
	if errors.As(err, &e) && !strings.Contains(e.Message, want) {
		f.Errorf("%q does not say %q", e.Message, want)
	}
}
