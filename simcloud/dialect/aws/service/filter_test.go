package service

import (
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// TestFits: * is any text, ? any character, and \ takes that from the next one.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "a", true}, {"a", "A", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"?", "ä", true},
		{"*", "", true}, {"*", "abc", true}, {"a*", "abc", true}, {"*c", "abcc", true}, {"a*b*c", "aXbYbZc", true}, {"a*b*c", "acb", false},
		{`a\*`, "a*", true}, {`a\*`, "ab", false}, {`a\?`, "a?", true}, {`a\?`, "ab", false}, {`\\`, `\`, true}, {`a\`, "a", false},
		{"*a*a*a*a*a*a*a*a*a*a*b", strings.Repeat("a", 5000), false},
	} {
		if got := fits(c.pattern, c.text); got != c.want {
			t.Errorf("%q fits %.20q: %t, want %t", c.pattern, c.text, got, c.want)
		}
	}
}

var words = Filters[string]{
	Tags:  func(s string) map[string]string { return map[string]string{"first": s[:1]} },
	Facts: map[string]Facts[string]{"word": func(s string) []string { return []string{s} }},
}

func TestChoose(t *testing.T) {
	t.Parallel()
	many := make([]string, 201)
	for _, c := range []struct {
		filters []Filter
		want    []string
		code    string
	}{
		{nil, []string{"ant", "ape", "bee"}, ""},
		{[]Filter{{"word", []string{"a*"}}}, []string{"ant", "ape"}, ""},
		{[]Filter{{"word", []string{"ant", "bee"}}}, []string{"ant", "bee"}, ""},
		{[]Filter{{"word", []string{"a*"}}, {"word", []string{"*e"}}}, []string{"ape"}, ""},
		{[]Filter{{"tag:first", []string{"b"}}}, []string{"bee"}, ""},
		{[]Filter{{"tag:second", []string{"*"}}}, nil, ""},
		{[]Filter{{"tag-key", []string{"fir*"}}}, []string{"ant", "ape", "bee"}, ""},
		{[]Filter{{"colour", []string{"a"}}}, nil, "InvalidParameterValue"},
		{[]Filter{{"word", nil}}, nil, "InvalidParameterValue"},
		{[]Filter{{"word", many}}, nil, "FilterLimitExceeded"},
		{make([]Filter, 51), nil, "FilterLimitExceeded"},
	} {
		got, err := words.Choose([]string{"ant", "ape", "bee"}, c.filters)
		if codeOf(err) != c.code || !slices.Equal(got, c.want) {
			t.Errorf("%.60v: got %v, %v; want %v, %s", c.filters, got, err, c.want, c.code)
		}
	}
}

// codeOf is the code of AWS that an error has; empty for none.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	e, _ := err.(*simcloud.Error) //nolint:errorlint // it is not wrapped
	return (&Service{}).Problem(edge.Problem{Err: e}).Code.Code
}
