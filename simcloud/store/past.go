package store

import (
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store/sequence"
)

// Past is what a bucket held at some moment, as far as it differs from what it holds.
type Past struct {
	// Changed is whether the file has changed at all, and Revision what it was at then.
	Changed  bool
	Revision uint64
	// Before is what was at the places that have changed; nil where nothing was.
	Before map[uint64][]byte
}

// RevisionAt returns the revision that the transaction shows with this past.
func (p Past) RevisionAt(tx *Tx) uint64 {
	if !p.Changed {
		return tx.Revision()
	}
	return p.Revision
}

// GetPast is Get of what the bucket held.
func (b Bucket[T, P]) GetPast(tx *Tx, id simcloud.ID, past Past) (v T, err error) {
	key := b.key(tx, id)
	if b.prefix == "" {
		var found bool
		if v, found, err = b.namedPast(id, past); found || err != nil {
			return v, err
		}
	}
	if raw, changed := past.Before[order(key)]; key != nil && changed {
		if raw == nil {
			return v, b.NotFound(id)
		}
		return b.decode(raw)
	}
	return b.Get(tx, id)
}

// namedPast finds a resource by its name among what has changed.
func (b Bucket[T, P]) namedPast(id simcloud.ID, past Past) (v T, found bool, err error) {
	for _, raw := range past.Before {
		if raw == nil {
			continue
		}
		if v, err = b.decode(raw); err != nil || P(&v).GetMeta().ID == id {
			return v, err == nil, err
		}
	}
	var none T
	return none, false, nil
}

// PagePast is Page of what the bucket held. What it costs follows also what has changed.
func (b Bucket[T, P]) PagePast(tx *Tx, q Query, past Past, keep func(*T) bool) (items []T, last uint64, err error) {
	was, err := b.selectPast(q, past)
	if err != nil {
		return nil, 0, err
	}
	items = []T{}
	from := sequence.Union{sequence.Without[[]byte]{Of: b.candidates(tx, q), Left: past.Before}, sequence.Keys(was)}
	for seq := q.After + 1; ; seq++ {
		var found bool
		if seq, found = from.Seek(seq); !found {
			return items, 0, nil
		}
		v, there := was[seq]
		if !there {
			if v, err = b.decode(b.data(tx).Get(orderedKey(seq))); err != nil {
				return nil, 0, err
			}
		}
		if keep != nil && !keep(&v) {
			continue
		}
		if len(items) == q.Limit {
			return items, last, nil
		}
		items, last = append(items, v), seq
	}
}

// selectPast returns what fits the query of what has changed, by its place.
func (b Bucket[T, P]) selectPast(q Query, past Past) (map[uint64]T, error) {
	was := map[uint64]T{}
	for seq, raw := range past.Before {
		if raw == nil || seq <= q.After {
			continue
		}
		v, err := b.decode(raw)
		if err != nil {
			return nil, err
		}
		if b.fits(&v, q) {
			was[seq] = v
		}
	}
	return was, nil
}
