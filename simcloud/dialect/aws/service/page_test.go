package service

import (
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
)

// TestCut reads lists page by page, while what was shown goes away and something new comes.
func TestCut(t *testing.T) {
	t.Parallel()
	call := Call{request: httptest.NewRequest("POST", "/", nil)}
	itself := func(s string) string { return s }
	for _, total := range []int{0, 1, 5, 6, 1000, 1001} {
		var items []string
		for i := total; i > 0; i-- {
			items = append(items, "i-"+strconv.Itoa(i))
		}
		var seen []string
		size, pages := 5, Pages{}
		pages.MaxResults = &size
		for {
			page, next, err := Cut(call, slices.Clone(items), itself, pages, PageSize{5, 5}, "all")
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, page...)
			if next == "" {
				break
			}
			if len(page) != size {
				t.Fatalf("a page of %d has %d", size, len(page))
			}
			items = slices.DeleteFunc(items, func(s string) bool { return s == page[size-1] })
			pages.NextToken = next
		}
		if len(seen) != total || !slices.IsSortedFunc(seen, Order) {
			t.Errorf("of %d there were %v", total, seen)
		}
	}
}

func TestCutRefuses(t *testing.T) {
	t.Parallel()
	call := Call{request: httptest.NewRequest("POST", "/", nil)}
	itself := func(s string) string { return s }
	items := []string{"i-1", "i-2", "i-10"}
	ask := func(size int, token, question string) ([]string, string, string) {
		page, next, err := Cut(call, items, itself, Pages{&size, token}, PageSize{2, 2}, question)
		return page, next, codeOf(err)
	}
	page, next, _ := ask(9, "", "a")
	if !slices.Equal(page, []string{"i-1", "i-2"}) {
		t.Errorf("a page of 9 where 2 are allowed has %v", page)
	}
	if page, _, code := ask(2, next, "a"); !slices.Equal(page, []string{"i-10"}) || code != "" {
		t.Errorf("the second page is %v, %s", page, code)
	}
	for _, c := range []struct {
		size            int
		token, question string
		code            string
	}{
		{1, "", "a", "InvalidParameterValue"}, {2, next, "b", "InvalidNextToken"}, {2, "guess", "a", "InvalidNextToken"}, {2, "!", "a", "InvalidNextToken"},
	} {
		if _, _, code := ask(c.size, c.token, c.question); code != c.code {
			t.Errorf("%+v: got %q", c, code)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"rtb-3": "rt-3", "rtb-03": "", "rtb-": "", "rtb-x": "", "rt-3": "", "rtb--3": "", "rtb-main-1": ""} {
		if got := string(FromNumber("rtb-", text, "rt-")); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if got := Numbered("rtb-", "rt-3"); got != "rtb-3" {
		t.Errorf("rt-3 is %s", got)
	}
	if a, b := Account("default"), Account("other"); len(a) != 12 || len(b) != 12 || a == b {
		t.Errorf("the accounts are %s and %s", a, b)
	}
}
