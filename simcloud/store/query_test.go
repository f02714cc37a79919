package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// odd strings: those in which a careless key would hide its borders.
var odd = []string{"", "a", "b", "a\x00", "\x00a", "a\x00\x01b", "ab", "a\u00ff", "\ufffd", "日本"}

func oddMeta(dice *rand.Rand) simcloud.Meta {
	pick := func() string { return odd[dice.IntN(len(odd))] }
	meta := simcloud.Meta{Name: pick(), Project: simcloud.ID(pick()), Labels: map[string]string{}}
	for range dice.IntN(4) {
		meta.Labels[pick()] = pick()
	}
	return meta
}

// fits is the slow way to answer a query.
func fits(v simcloud.Instance, q store.Query) bool {
	if v.Project != q.Project || q.Name != "" && v.Name != q.Name || q.State != "" && string(v.State) != q.State {
		return false
	}
	if q.RefersTo != (store.Ref{}) && (q.RefersTo.Kind != simcloud.KindZone || q.RefersTo.ID != v.Zone) {
		return false
	}
	for _, m := range q.Labels {
		value, ok := v.Labels[m.Key]
		if !ok || len(m.Values) > 0 && !slices.Contains(m.Values, value) {
			return false
		}
	}
	return true
}

// TestPageAnswersAsAScanWould changes a bucket by chance and compares what the
// index finds with what looking at everything finds.
func TestPageAnswersAsAScanWould(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	dice := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		update(t, db, func(tx *store.Tx) error { return churn(tx, dice) })
	}
	items := all(t, db)
	for range 500 {
		q := oddQuery(dice)
		var want []simcloud.ID
		for _, v := range items {
			if fits(v, q) {
				want = append(want, v.ID)
			}
		}
		if diff := cmp.Diff(want, pages(t, db, q)); diff != "" {
			t.Fatalf("%+v (-scan +index):\n%s", q, diff)
		}
	}
}

func churn(tx *store.Tx, dice *rand.Rand) error {
	for range 20 {
		if _, err := insert(tx, oddMeta(dice)); err != nil {
			return err
		}
	}
	items, err := store.Instances.All(tx)
	if err != nil {
		return err
	}
	for i := range items {
		v := &items[i]
		switch dice.IntN(4) {
		case 0:
			err = store.Instances.Delete(tx, epoch, v.ID)
		case 1:
			meta := oddMeta(dice)
			v.Name, v.Labels, v.State, v.Zone = meta.Name, meta.Labels, simcloud.InstanceStopped, "zone-b"
			err = store.Instances.Update(tx, epoch, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func oddQuery(dice *rand.Rand) store.Query {
	meta := oddMeta(dice)
	q := store.Query{Project: meta.Project, Limit: 1 + dice.IntN(5)}
	if dice.IntN(3) == 0 {
		q.Name = meta.Name
	}
	if dice.IntN(3) == 0 {
		q.State = string(simcloud.InstanceStopped)
	}
	if dice.IntN(3) == 0 {
		q.RefersTo = store.Ref{Kind: simcloud.KindZone, ID: []simcloud.ID{"zone-a", "zone-b"}[dice.IntN(2)]}
	}
	for key, value := range meta.Labels {
		m := store.Match{Key: key}
		for range dice.IntN(3) {
			m.Values = append(m.Values, value)
			value = odd[dice.IntN(len(odd))]
		}
		q.Labels = append(q.Labels, m)
	}
	return q
}

// pages follows a query to its end.
func pages(t *testing.T, db *store.DB, q store.Query) []simcloud.ID {
	t.Helper()
	var ids []simcloud.ID
	for {
		var next uint64
		if err := db.View(func(tx *store.Tx) error {
			items, last, err := store.Instances.Page(tx, q, nil)
			for _, v := range items {
				ids = append(ids, v.ID)
			}
			next = last
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if next == 0 {
			return ids
		}
		q.After = next
	}
}

func TestReferring(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	update(t, db, func(tx *store.Tx) error {
		for i := range 3 {
			lb := simcloud.LoadBalancer{Meta: simcloud.Meta{Name: "lb"}, Targets: []simcloud.Target{{Instance: "i-1"}}}
			if i == 1 {
				lb.Targets = nil
			}
			lb.ID, _ = store.LoadBalancers.NewID(tx)
			if err := store.LoadBalancers.Insert(tx, epoch, &lb); err != nil {
				return err
			}
		}
		return store.LoadBalancers.Delete(tx, epoch, "lb-1")
	})
	if err := db.View(func(tx *store.Tx) error {
		lbs, err := store.LoadBalancers.Referring(tx, store.Ref{Kind: simcloud.KindInstance, ID: "i-1"})
		if len(lbs) != 1 || lbs[0].ID != "lb-3" {
			t.Errorf("referring: %v", lbs)
		}
		for ref, want := range map[store.Ref]bool{
			{Kind: simcloud.KindInstance, ID: "i-1"}:  true,
			{Kind: simcloud.KindInstance, ID: "i-2"}:  false,
			{Kind: simcloud.KindInstance, ID: "i-"}:   false,
			{Kind: simcloud.KindInstance, ID: "i-10"}: false,
		} {
			if got := store.LoadBalancers.Referred(tx, ref); got != want {
				t.Errorf("%v is referred to: %t", ref, got)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// FuzzKey: different parts never make one key, and keys of numbers sort as the numbers.
func FuzzKey(f *testing.F) {
	f.Add("a", "b", "ab", "", uint64(1), uint64(256))
	f.Add("", "", "\x00", "\x00\x00", uint64(0), uint64(1)<<63)
	f.Fuzz(func(t *testing.T, a, b, c, d string, m, n uint64) {
		if len(a)+len(b)+len(c)+len(d) > 60000 {
			return
		}
		if same, want := store.Key(a, b) == store.Key(c, d), a == c && b == d; same != want {
			t.Errorf("Key(%q, %q) and Key(%q, %q) are the same: %t", a, b, c, d, same)
		}
		if less := store.Ordered(m) < store.Ordered(n); less != (m < n) {
			t.Errorf("%d sorts before %d: %t", m, n, less)
		}
		if got := store.Order(store.Key(a) + store.Ordered(m)); got != m {
			t.Errorf("got %d back from %d", got, m)
		}
	})
}

// TestNoUTF8: what JSON cannot hold is found as JSON holds it.
func TestNoUTF8(t *testing.T) {
	t.Parallel()
	db := scratch(t)
	update(t, db, func(tx *store.Tx) error {
		_, err := insert(tx, simcloud.Meta{Name: "\xff\xfe", Labels: map[string]string{"\xff": "a\x80"}})
		return err
	})
	for _, q := range []store.Query{{Name: "\xff\xfe"}, {Name: "\ufffd\ufffd"}, {Labels: []store.Match{{Key: "\xff"}}}} {
		q.Limit = 1
		if got := pages(t, db, q); len(got) != 1 {
			t.Errorf("%+v: found %v", q, got)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	db := open(t, filled(t, 12), store.Options{})
	if err := db.View(func(tx *store.Tx) error {
		for id, want := range map[simcloud.ID]bool{
			"i-1": true, "i-12": true, "i-13": false, "i-01": false, "i-": false, "": false, "lb-1": false,
			"i-+1": false, "i--1": false, "i-1 ": false, "I-1": false, "i-0": false, "i-99999999999999999999": false,
		} {
			if got := store.Instances.Has(tx, id); got != want {
				t.Errorf("%q is there: %t", id, got)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
