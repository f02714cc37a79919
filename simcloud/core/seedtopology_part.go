package core

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// entry is one resource of a topology, and where it stands there.
type entry[S any] struct {
	path string
	name string
	spec S
}

// kindPart is the seedPart of any kind of resource.
type kindPart[T any, P store.Resource[T], S any] struct {
	s      *seeding
	bucket store.Bucket[T, P]
	listed bool
	wanted []entry[S]

	// fits reports whether what is there can become what is wanted.
	fits   func(have T, want S) bool
	delete func(have T) error
	create func(want S) error
	update func(have T, want S) error
	// implied reports whether something stays that the topology does not list; nil: nothing does.
	implied func(have T) bool

	kept    map[string]simcloud.ID // by name
	leaving []T
}

// entries returns the entries of a list; there are none when the list is nil.
func entries[S any](list *[]S, field string, name func(S) string) (all []entry[S], listed bool) {
	if list == nil {
		return nil, false
	}
	for i, spec := range *list {
		all = append(all, entry[S]{seedPath(field, i), name(spec), spec})
	}
	return all, true
}

// plan decides what stays, for which the oldest of a name is taken, and what goes.
func (p *kindPart[T, P, S]) plan() error {
	p.kept = map[string]simcloud.ID{}
	if !p.listed {
		return nil
	}
	all, err := p.bucket.All(p.s.tx)
	if err != nil {
		return err
	}
	wanted := map[string]S{}
	for _, e := range p.wanted {
		wanted[e.name] = e.spec
	}
	for i := range all {
		meta := P(&all[i]).GetMeta()
		if meta.Project != "" && meta.Project != p.s.caller.Project {
			continue
		}
		want, named := wanted[meta.Name]
		if _, taken := p.kept[meta.Name]; named && !taken && p.fits(all[i], want) {
			p.kept[meta.Name] = meta.ID
			continue
		}
		if !named && p.implied != nil && p.implied(all[i]) {
			continue
		}
		p.leaving = append(p.leaving, all[i])
		p.s.goes[store.Ref{Kind: p.bucket.Kind(), ID: meta.ID}] = true
	}
	return nil
}

func (p *kindPart[T, P, S]) remove() error {
	for i := range p.leaving {
		meta := P(&p.leaving[i]).GetMeta()
		if err := p.delete(p.leaving[i]); err != nil {
			return inPart(simcloud.Ref(p.bucket.Kind(), simcloud.ID(meta.Name))+".", err)
		}
		p.s.report.Deleted = append(p.s.report.Deleted, p.ref(meta.Name))
	}
	return nil
}

func (p *kindPart[T, P, S]) ref(name string) string {
	return simcloud.Ref(p.bucket.Kind(), simcloud.ID(name))
}

func (p *kindPart[T, P, S]) make() error {
	for _, e := range p.wanted {
		if err := p.makeOne(e); err != nil {
			return inPart(e.path, err)
		}
	}
	return nil
}

func (p *kindPart[T, P, S]) makeOne(e entry[S]) error {
	id, there := p.kept[e.name]
	if !there {
		p.s.report.Created = append(p.s.report.Created, p.ref(e.name))
		return p.create(e.spec)
	}
	have, err := p.bucket.Get(p.s.tx, id)
	if err != nil {
		return err
	}
	before := p.s.tx.Revision()
	p.s.report.Unchanged++
	if err := p.update(have, e.spec); err != nil {
		return err
	}
	if p.s.tx.Revision() != before {
		p.s.updated(p.ref(e.name))
	}
	return nil
}

// leads reports whether a reference is to what has the name, and stays. No
// name accepts whatever stays.
func leads[T any, P store.Resource[T]](s *seeding, b store.Bucket[T, P], id, name simcloud.ID) bool {
	if id == "" || s.goes[store.Ref{Kind: b.Kind(), ID: id}] {
		return id == "" && name == ""
	}
	v, err := b.Get(s.tx, id)
	return err == nil && (name == "" || P(&v).GetMeta().Name == string(name))
}

// named returns the id of the resource of the project that has the name; "" for no name.
func named[T any, P store.Resource[T]](s *seeding, b store.Bucket[T, P], field string, name simcloud.ID) (simcloud.ID, error) {
	if name == "" {
		return "", nil
	}
	v, ok, err := b.First(s.tx, store.Query{Project: s.caller.Project, Name: string(name)})
	if err == nil && !ok {
		err = invalid("topology", field, "%s %q not found", b.Noun(), name)
	}
	return P(&v).GetMeta().ID, err
}

// relabel gives new labels to what no call of the API changes.
func relabel[T any, P store.Resource[T]](s *seeding, b store.Bucket[T, P], have T, labels map[string]string) error {
	if maps.Equal(P(&have).GetMeta().Labels, labels) {
		return nil
	}
	after := have
	P(&after).GetMeta().Labels = copyLabels(labels)
	_, err := operating(s.txn, func(t *txn) (simcloud.Result[T], error) { return replace(t, b, have, after) })
	return err
}

// newLabels returns the update that leads from one set of labels, or of options, to another; nil when they are the same.
func newLabels(have, want map[string]string) *map[string]string {
	if maps.Equal(have, want) {
		return nil
	}
	return &want
}

// newProtection returns the update that leads from one protection to another; nil when they are the same.
func newProtection(have, want bool) *bool {
	if have == want {
		return nil
	}
	return &want
}

// sameRanges compares CIDRs however they are spelled.
func sameRanges(a, b []string) bool {
	return slices.EqualFunc(a, b, func(a, b string) bool {
		x, errX := netip.ParsePrefix(a)
		y, errY := netip.ParsePrefix(b)
		return errX == nil && errY == nil && x == y
	})
}
