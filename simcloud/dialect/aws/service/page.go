package service

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Pages are the parameters of a list in pages.
type Pages struct {
	MaxResults *int   `aws:"MaxResults"`
	NextToken  string `aws:"NextToken"`
}

// PageSize is how many items a page of an action may have: fewer than Least are refused, and more than Most are Most.
type PageSize struct{ Least, Most int }

// Cut returns the page that is asked for of a list, in the order of its ids, and the token of the next
// one; empty on the last. Without MaxResults the page is the whole list. A token is good only for
// the same question, which is what the request has besides the pages. It names the last item that was
// shown, so that nothing is left out when others are deleted between two pages.
func Cut[T any](c Call, items []T, id func(T) string, p Pages, size PageSize, question any) ([]T, string, error) {
	opts := simcloud.ListOptions{PageToken: p.NextToken}
	if p.MaxResults != nil {
		if *p.MaxResults < size.Least {
			return nil, "", Refuse(simcloud.Invalid, "InvalidParameterValue", "MaxResults is %d: must be between %d and %d", *p.MaxResults, size.Least, size.Most)
		}
		opts.PageSize = min(*p.MaxResults, size.Most)
	}
	slices.SortFunc(items, func(a, b T) int { return Order(id(a), id(b)) })
	mark := markOf(question)
	page, err := fault.List(c.Ctx(), func(_ context.Context, opts simcloud.ListOptions) (simcloud.Page[T], error) {
		return cut(items, id, opts, mark)
	}, opts)
	return page.Items, page.NextPage, err
}

// Order compares ids, by their numbers where they have the same prefix.
func Order(a, b string) int {
	prefixA, numberA, okA := number(a)
	prefixB, numberB, okB := number(b)
	if okA && okB && prefixA == prefixB {
		return cmp.Compare(numberA, numberB)
	}
	return strings.Compare(a, b)
}

// number is what an id ends in, behind its last hyphen.
func number(id string) (prefix string, n uint64, ok bool) {
	i := strings.LastIndexByte(id, '-')
	n, err := strconv.ParseUint(id[i+1:], 10, 64)
	return id[:i+1], n, err == nil
}

// markOf tells questions apart.
func markOf(question any) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%#v", question) // never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// cut returns the page after the item that the token names.
func cut[T any](items []T, id func(T) string, opts simcloud.ListOptions, mark string) (simcloud.Page[T], error) {
	rest := items
	if opts.PageToken != "" {
		last, err := readToken(opts.PageToken, mark)
		if err != nil {
			return simcloud.Page[T]{}, err
		}
		for len(rest) > 0 && Order(id(rest[0]), last) <= 0 {
			rest = rest[1:]
		}
	}
	if opts.PageSize == 0 || len(rest) <= opts.PageSize {
		return simcloud.Page[T]{Items: slices.Clone(rest)}, nil
	}
	shown := slices.Clone(rest[:opts.PageSize])
	return simcloud.Page[T]{Items: shown, NextPage: tokenAfter(id(shown[len(shown)-1]), mark)}, nil
}

func tokenAfter(last, mark string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(mark + "." + last))
}

func readToken(token, mark string) (last string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if its, last, ok := strings.Cut(string(raw), "."); err == nil && ok && its == mark {
		return last, nil
	}
	return "", Refuse(simcloud.Invalid, "InvalidNextToken", "The NextToken is not one of this list and these parameters")
}

// All reads a whole list of the cloud.
func All[T any](c Call, list simcloud.ListFunc[T]) ([]T, error) {
	return simcloud.ListAll(c.Ctx(), list, simcloud.ListOptions{PageSize: simcloud.MaxPageSize})
}
