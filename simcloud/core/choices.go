package core

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// maxChoices is how many ids an error offers in place of one that does not exist.
const maxChoices = 8

// choices lists the ids of a kind that all projects share, for an error about one that does not exist: " (have zone-a, zone-b)".
// An error of the store is no reason to report another error than the one at hand.
func choices[T any, P store.Resource[T]](tx *store.Tx, b store.Bucket[T, P]) string {
	items, _, err := b.Page(tx, store.Query{Limit: maxChoices + 1}, nil)
	if err != nil || len(items) == 0 {
		return ""
	}
	var ids []string
	for i := range items {
		if i == maxChoices {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, string(P(&items[i]).GetMeta().ID))
	}
	return " (have " + strings.Join(ids, ", ") + ")"
}
