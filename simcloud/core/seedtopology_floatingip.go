package core

import (
	"net/netip"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

func (s *seeding) floatingIPs() seedPart {
	p := &kindPart[simcloud.FloatingIP, *simcloud.FloatingIP, simcloud.FloatingIPSpec]{s: s, bucket: store.FloatingIPs}
	p.wanted, p.listed = entries(s.want.FloatingIPs, "floatingIPs", func(f simcloud.FloatingIPSpec) string { return f.Name })
	p.fits = s.fitsFloatingIP
	p.delete = func(have simcloud.FloatingIP) error {
		if have.AttachedTo.ID != "" {
			if _, err := s.do.DetachFloatingIP(s.ctx, have.ID); err != nil {
				return err
			}
		}
		_, err := s.do.DeleteFloatingIP(s.ctx, have.ID)
		return err
	}
	p.create = func(want simcloud.FloatingIPSpec) error {
		var err error
		if want.AttachedTo, err = s.attachment(want.AttachedTo); err != nil {
			return err
		}
		_, err = s.do.CreateFloatingIP(s.ctx, want)
		return err
	}
	p.update = s.updateFloatingIP
	return p
}

// fitsFloatingIP: the address is one that the spec could have got.
func (s *seeding) fitsFloatingIP(have simcloud.FloatingIP, want simcloud.FloatingIPSpec) bool {
	if !leads(s, store.FloatingIPPools, simcloud.ID(have.Pool), simcloud.ID(want.Pool)) {
		return false
	}
	addr, err := netip.ParseAddr(have.Address)
	if err != nil {
		return false
	}
	if asked, err := netip.ParseAddr(want.Address); err == nil {
		return asked == addr
	}
	family := want.Family
	if family == 0 && want.Pool == "" {
		family = 4
	}
	return family == 0 || addr.Is4() == (family == 4)
}

// attachment puts the id in the place of the name.
func (s *seeding) attachment(to simcloud.Attachment) (simcloud.Attachment, error) {
	var err error
	switch to.Kind {
	case simcloud.KindInstance:
		to.ID, err = named(s, store.Instances, "attachedTo.id", to.ID)
	case simcloud.KindLoadBalancer:
		to.ID, err = named(s, store.LoadBalancers, "attachedTo.id", to.ID)
	default:
	}
	return to, err
}

func (s *seeding) updateFloatingIP(have simcloud.FloatingIP, want simcloud.FloatingIPSpec) error {
	to, err := s.attachment(want.AttachedTo)
	if err != nil {
		return err
	}
	update := simcloud.FloatingIPUpdate{
		Labels: newLabels(have.Labels, want.Labels), Protected: newProtection(have.Protected, want.Protected),
		Options: newLabels(have.Options, want.Options),
	}
	if have.PTR != want.PTR {
		update.PTR = &want.PTR
	}
	if update != (simcloud.FloatingIPUpdate{}) {
		if _, err := s.do.UpdateFloatingIP(s.ctx, have.ID, update); err != nil {
			return err
		}
	}
	if have.AttachedTo == to {
		return nil
	}
	if have.AttachedTo.ID != "" {
		if _, err := s.do.DetachFloatingIP(s.ctx, have.ID); err != nil {
			return err
		}
	}
	if to.ID == "" {
		return nil
	}
	_, err = s.do.AttachFloatingIP(s.ctx, have.ID, to)
	return err
}
