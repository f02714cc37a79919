package core

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/store"
)

// FuzzPageToken: a token leads back to where it came from, in its own list
// only, and what is no token is Invalid.
func FuzzPageToken(f *testing.F) {
	f.Add("", uint64(1), uint64(2))
	f.Add("AAAAAAAAAAEAAAAAAAAAAg", uint64(1), uint64(3))
	f.Add("AAAAAAAAAAEAAAAAAAAAAh", uint64(0), uint64(2))
	f.Add("not a token", uint64(1)<<63, uint64(0))
	f.Fuzz(func(t *testing.T, token string, last, filter uint64) {
		if got, err := parsePageToken(pageToken(last, filter), filter); got != last || err != nil {
			t.Errorf("%d came back as %d, %v", last, got, err)
		}
		if last != 0 {
			if _, err := parsePageToken(pageToken(last, filter), filter+1); simcloud.CodeOf(err) != simcloud.Invalid {
				t.Errorf("the token of another list: %v", err)
			}
		}
		switch got, err := parsePageToken(token, filter); {
		case err != nil && simcloud.CodeOf(err) != simcloud.Invalid:
			t.Errorf("%q: got %v, want Invalid", token, err)
		case err == nil && got != 0 && pageToken(got, filter) != token:
			t.Errorf("%q leads to %d, whose token is %q", token, got, pageToken(got, filter))
		}
	})
}

// FuzzSelector: what a selector is divided into chooses what the whole selector does.
func FuzzSelector(f *testing.F) {
	for _, seed := range []string{
		"", "a", "!a", "a=1", "a==1", "a!=1", "a in (1,2)", "a notin (1,2)", "a>1", "a<2", "a=1,b", "a in (),b notin (3)", "a=", ",", "a in (", "A/b.c=d",
	} {
		f.Add(seed, "1", "2")
	}
	f.Fuzz(func(t *testing.T, selector, a, b string) {
		matches, rest, err := parseSelector(selector)
		whole, wrong := labels.Parse(selector)
		if (err != nil) != (wrong != nil) || (err != nil && simcloud.CodeOf(err) != simcloud.Invalid) {
			t.Fatalf("%q: got %v, want Invalid if %v", selector, err, wrong)
		}
		if err != nil {
			return
		}
		for _, set := range []map[string]string{nil, {"a": a}, {"b": b}, {"a": a, "b": b}, {"a": b, "A/b.c": "d"}} {
			got := indexed(matches, set)
			if keeps := keep[simcloud.Instance](rest); got && keeps != nil {
				got = keeps(&simcloud.Instance{Meta: simcloud.Meta{Labels: set}})
			}
			if want := whole.Matches(labels.Set(set)); got != want {
				t.Errorf("%q of %v: got %t, want %t", selector, set, got, want)
			}
		}
	})
}

// indexed is what the index of the store answers.
func indexed(matches []store.Match, set map[string]string) bool {
	for _, m := range matches {
		value, has := set[m.Key]
		if !has || (len(m.Values) > 0 && !slices.Contains(m.Values, value)) {
			return false
		}
	}
	return true
}
