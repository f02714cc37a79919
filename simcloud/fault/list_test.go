package fault_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
	"github.com/simcloud-dev/simcloud/simcloud/simtest"
)

// pages lists the instances page by page; names are of one letter, and pages are apart by a bar.
func pages(ctx context.Context, t *testing.T, c *client.Client, size int) string {
	t.Helper()
	var seen []string
	opts := simcloud.ListOptions{PageSize: size}
	for range 20 {
		page, err := c.ListInstances(ctx, opts)
		if err != nil {
			t.Fatal(err)
		}
		var names strings.Builder
		for _, item := range page.Items {
			names.WriteString(item.Name)
		}
		seen = append(seen, names.String())
		if opts.PageToken = page.NextPage; opts.PageToken == "" {
			break
		}
	}
	return strings.Join(seen, "|")
}

func TestPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, page, when string
		size             int
		want             string
	}{
		{"short", `{"lie": "short"}`, "", 4, "ab"},
		{"short later on", `{"lie": "short"}`, `"skip": 1`, 4, "abcd|e"},
		{"short of one", `{"lie": "short"}`, "", 1, ""},
		{"duplicate across pages", `{"lie": "duplicate"}`, `"times": 1`, 4, "abcd|defg"},
		{"duplicate on the last page", `{"lie": "duplicate"}`, "", 9, "abcdefgg"},
		{"duplicate of one", `{"lie": "duplicate"}`, `"times": 1`, 1, "aa|b|c|d|e|f|g"},
		{"shift", `{"lie": "shift"}`, `"times": 1`, 3, "abc|efg"},
		{"shift at each border", `{"lie": "shift"}`, "", 2, "ab|de|g"},
		{"shift of the last one", `{"lie": "shift"}`, "", 6, "abcdef"},
		{"shift without a border", `{"lie": "shift"}`, "", 9, "abcdefg"},
		{"size", `{"lie": "size", "size": 2}`, "", 4, "ab|cd|ef|g"},
		{"a larger size", `{"lie": "size", "size": 5}`, "", 2, "abcde|fg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
				l.create(name, nil)
			}
			rule := l.add(`{"when": {` + c.when + `}, "effect": {"page": ` + c.page + `}}`)
			if got := pages(t.Context(), t, l.Client, c.size); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if l.hits(rule.ID) == 0 {
				t.Error("it has not fired")
			}
			l.create("h", nil) // only lists are changed
			if err := l.ClearFaults(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := pages(t.Context(), t, l.Client, 9); got != "abcdefgh" {
				t.Errorf("without the rule there is %s", got)
			}
		})
	}
}

// TestPageDrop: one item of each page is missing, which one is a matter of the seed.
func TestPageDrop(t *testing.T) {
	t.Parallel()
	var first string
	for range 2 {
		l := newLab(t)
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			l.create(name, nil)
		}
		l.add(`{"effect": {"page": {"lie": "drop"}}}`)
		got := pages(t.Context(), t, l.Client, 3)
		if len(got) != len("ab|de") || got[2] != '|' {
			t.Errorf("got %s, want two of each three", got)
		}
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("two runs differ: %s and %s", first, got)
		}
	}
}

// TestEmptyPage: a list without items has nothing to lie about.
func TestEmptyPage(t *testing.T) {
	t.Parallel()
	for _, lie := range []fault.Lie{fault.LieShort, fault.LieDrop, fault.LieDuplicate, fault.LieShift} {
		l := newLab(t)
		l.add(`{"effect": {"page": {"lie": "` + string(lie) + `"}}}`)
		if got := pages(t.Context(), t, l.Client, 3); got != "" {
			t.Errorf("%s: got %s", lie, got)
		}
	}
}

// TestListOfAnError: a list that fails does not lie.
func TestListOfAnError(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.add(`{"effect": {"page": {"lie": "drop"}}}`)
	_, err := l.ListInstances(t.Context(), simcloud.ListOptions{PageToken: "nonsense"})
	l.want(err, simcloud.Invalid)
}

// reader is a cloud that notes how its reads are overridden.
type reader struct {
	simcloud.API
	seen []simcloud.Override
}

func (r *reader) GetInstance(ctx context.Context, id simcloud.ID) (simcloud.Instance, error) {
	r.seen = append(r.seen, simcloud.OverrideOf(ctx))
	return simcloud.Instance{}, simcloud.Errorf(simcloud.NotFound, "", "no")
}

func (r *reader) ListInstances(ctx context.Context, _ simcloud.ListOptions) (simcloud.Page[simcloud.Instance], error) {
	r.seen = append(r.seen, simcloud.OverrideOf(ctx))
	return simcloud.Page[simcloud.Instance]{}, nil
}

func (r *reader) DeleteInstance(ctx context.Context, _ simcloud.ID, _ ...simcloud.CallOption) (simcloud.Operation, error) {
	r.seen = append(r.seen, simcloud.OverrideOf(ctx))
	return simcloud.Operation{}, errors.New("no")
}

// TestOverrides: what only the cloud can do is asked of the cloud.
func TestOverrides(t *testing.T) {
	t.Parallel()
	set := fault.New(fault.Config{Seed: 1})
	for _, rule := range []string{
		`{"match": {"operation": "GetInstance"}, "effect": {"stale": {"by": "3s"}}}`,
		`{"match": {"operation": "ListInstances"}, "effect": {"hide": {"for": "4s"}}}`,
		`{"match": {"operation": "*Instance"}, "effect": {"state": {"to": "error", "after": "5s"}}}`,
	} {
		parsed, err := fault.Parse([]byte(rule))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.AddFault(t.Context(), parsed); err != nil {
			t.Fatal(err)
		}
	}
	cloud := &reader{}
	c := serve(t, set, cloud)
	_, _ = c.GetInstance(t.Context(), "i-1")
	_, _ = c.ListInstances(t.Context(), simcloud.ListOptions{})
	_, _ = c.DeleteInstance(t.Context(), "i-1")
	second := simcloud.Duration(1e9)
	want := []simcloud.Override{
		{Reading: simcloud.Reading{StaleBy: 3 * second}},
		{Reading: simcloud.Reading{HideNew: 4 * second}},
		{Outcome: simcloud.Outcome{State: "error", After: 5 * second}},
	}
	if diff := cmp.Diff(want, cloud.seen); diff != "" {
		t.Errorf("overrides (-want +got):\n%s", diff)
	}
}

// TestStale: a read shows what was, and a write relies on what is.
func TestStale(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	ctx := t.Context()
	made := l.create("a", nil)
	if _, err := l.AdvanceClock(ctx, simcloud.Duration(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.StopInstance(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	rule := l.add(`{"match": {"operation": "*Instance*"}, "effect": {"stale": {"by": "30s"}}}`)
	got, err := l.GetInstance(ctx, made.ID)
	if err != nil || got.State != simcloud.InstanceRunning {
		t.Errorf("got %s, %v; want what it was", got.State, err)
	}
	page, err := l.ListInstances(ctx, simcloud.ListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].State != simcloud.InstanceRunning {
		t.Errorf("got %+v, %v; want what it was", page.Items, err)
	}
	_, err = l.UpdateInstance(ctx, made.ID, simcloud.InstanceUpdate{}, simcloud.IfVersion(got.Version))
	l.want(err, simcloud.Conflict)
	if l.hits(rule.ID) != 2 {
		t.Errorf("%d hits, want those of the reads", l.hits(rule.ID))
	}
}

// TestHide: what is new is neither found nor listed, and there all the same.
func TestHide(t *testing.T) {
	t.Parallel()
	l := newLab(t, simtest.ManualClock())
	ctx := t.Context()
	l.add(`{"effect": {"hide": {"for": "30s"}}}`)
	made := l.create("a", nil)
	_, err := l.GetInstance(ctx, made.ID)
	l.want(err, simcloud.NotFound)
	if got := pages(ctx, t, l.Client, 9); got != "" {
		t.Errorf("the list has %s", got)
	}
	if _, err := l.StopInstance(ctx, made.ID); err != nil {
		t.Errorf("a change of it: %v", err)
	}
	if _, err := l.AdvanceClock(ctx, simcloud.Duration(30*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := pages(ctx, t, l.Client, 9); got != "a" {
		t.Errorf("after its time the list has %s", got)
	}
}
