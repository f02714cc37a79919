package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// query reads the parameters of a request and remembers what was wrong.
type query struct {
	values url.Values
	known  []string
	fields []simcloud.FieldError
}

func readQuery(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.wrong("query", err.Error())
	}
	return q
}

func (q *query) wrong(field, detail string) {
	q.fields = append(q.fields, simcloud.FieldError{Field: field, Detail: detail})
}

func (q *query) text(name string) string {
	q.known = append(q.known, name)
	if len(q.values[name]) > 1 {
		q.wrong(name, "is there more than once")
	}
	return q.values.Get(name)
}

func (q *query) number(name string) uint64 {
	text := q.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		q.wrong(name, strconv.Quote(text)+" is not a whole number from 0")
	}
	return n
}

func (q *query) flag(name string) bool {
	text := q.text(name)
	if text == "" {
		return false
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		q.wrong(name, strconv.Quote(text)+" is neither true nor false")
	}
	return b
}

func (q *query) code(name string) simcloud.Code {
	code := simcloud.Code(q.text(name))
	if code != "" && !slices.Contains(simcloud.Codes(), code) {
		q.wrong(name, strconv.Quote(string(code))+" is not a code such as not_found")
	}
	return code
}

// err returns all that was wrong; so are unknown parameters.
func (q *query) err() error {
	for name := range q.values {
		if !slices.Contains(q.known, name) {
			q.wrong(name, "unknown parameter; known parameters: "+or(strings.Join(q.known, ", "), "none"))
		}
	}
	slices.SortFunc(q.fields, func(a, b simcloud.FieldError) int { return strings.Compare(a.Field, b.Field) })
	return simcloud.InvalidFields("", q.fields)
}

func or(v, fallback string) string {
	if v == "" {
		return fallback
	}
	return v
}

func listOptions(r *http.Request) (simcloud.ListOptions, error) {
	q := readQuery(r)
	size := q.number("pageSize")
	if size > simcloud.MaxPageSize {
		q.wrong("pageSize", strconv.FormatUint(size, 10)+" is above "+strconv.Itoa(simcloud.MaxPageSize))
	}
	page := q.number("page")
	if page > simcloud.MaxPage {
		q.wrong("page", strconv.FormatUint(page, 10)+" is above "+strconv.Itoa(simcloud.MaxPage))
	}
	opts := simcloud.ListOptions{
		Page: int(min(page, simcloud.MaxPage)), Name: q.text("name"), Selector: q.text("selector"), State: q.text("state"), RefersTo: q.text("refersTo"),
		PageSize: int(min(size, simcloud.MaxPageSize)), PageToken: q.text("pageToken"),
	}
	return opts, q.err()
}

func journalFilter(r *http.Request) (simcloud.JournalFilter, error) {
	q := readQuery(r)
	filter := readJournalFilter(q)
	return filter, q.err()
}

func listJournalFilter(r *http.Request) (simcloud.JournalFilter, error) {
	q := readQuery(r)
	filter := readJournalFilter(q)
	filter.Settled = q.flag("settled")
	return filter, q.err()
}

func readJournalFilter(q *query) simcloud.JournalFilter {
	return simcloud.JournalFilter{
		After: q.number("after"), Operation: q.text("operation"), Resource: q.text("resource"),
		UserAgent: q.text("userAgent"), Errors: q.flag("errors"), Writes: q.flag("writes"),
		Project: simcloud.ID(q.text("project")), Code: q.code("code"), Fault: simcloud.ID(q.text("fault")),
		Bodies: q.flag("bodies"),
	}
}

// callOptions reads the conditions of a mutation from its headers.
func callOptions(r *http.Request) ([]simcloud.CallOption, error) {
	var opts []simcloud.CallOption
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		if len(key) > maxIdempotencyKey {
			return nil, invalidField("Idempotency-Key", "has %d bytes: must have at most %d", len(key), maxIdempotencyKey)
		}
		opts = append(opts, simcloud.IdempotencyKey(key))
	}
	if match := r.Header.Get("If-Match"); match != "" && match != "*" {
		version, err := strconv.ParseUint(strings.Trim(match, `"`), 10, 64)
		if err != nil || version == 0 {
			return nil, invalidField("If-Match", `%s is not a version such as "7"`, match)
		}
		opts = append(opts, simcloud.IfVersion(version))
	}
	return opts, nil
}

// maxIdempotencyKey is the longest key, in bytes.
const maxIdempotencyKey = 255

// pathID returns an id of the path.
func pathID(r *http.Request, name string) simcloud.ID {
	text := mux.Vars(r)[name]
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return simcloud.ID(text)
}
