package step

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// tally counts what came of requests.
type tally struct {
	ok, failed int
	first      string // body of an answer
	statuses   map[string]int
	bodies     map[string]bool
	errors     map[string]bool
}

func newTally() *tally {
	return &tally{statuses: map[string]int{}, bodies: map[string]bool{}, errors: map[string]bool{}}
}

func (t *tally) add(a Answer, err error) {
	if err != nil {
		t.failed++
		t.errors[err.Error()] = true
		return
	}
	if len(t.bodies) == 0 {
		t.first = a.body
	}
	t.bodies[a.body] = true
	if a.Status != "" {
		t.statuses[a.Status]++
	}
	if a.Ok {
		t.ok++
	} else {
		t.failed++
	}
}

// RequestsResult has the fields of what came of requests, as expressions see them.
type RequestsResult struct {
	OK       int64            `json:"ok"`
	Failed   int64            `json:"failed"`
	Statuses map[string]int64 `json:"statuses"`
	Body     string           `json:"body"`
	Bodies   []string         `json:"bodies"`
	Errors   []string         `json:"errors"`
}

// value is the tally as expressions see it.
func (t *tally) value() map[string]any {
	statuses := map[string]any{}
	for status, n := range t.statuses {
		statuses[status] = int64(n)
	}
	return map[string]any{
		"ok": int64(t.ok), "failed": int64(t.failed), "statuses": statuses,
		"body": t.first, "bodies": texts(t.bodies), "errors": texts(t.errors),
	}
}

// texts lists the keys of a set in order.
func texts(set map[string]bool) []any {
	all := []any{}
	for _, text := range slices.Sorted(maps.Keys(set)) {
		all = append(all, text)
	}
	return all
}

// problem says that requests failed; nil when none did.
func (t *tally) problem() error {
	if t.failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s failed: %s", t.failed, words.Plural(t.ok+t.failed, "request"), strings.Join(t.complaints(), "; "))
}

func (t *tally) complaints() []string {
	complaints := slices.Sorted(maps.Keys(t.errors))
	for _, status := range slices.Sorted(maps.Keys(t.statuses)) {
		if status >= "400" {
			complaints = append(complaints, fmt.Sprintf("the status %s %s", status, words.Times(t.statuses[status])))
		}
	}
	return complaints
}
