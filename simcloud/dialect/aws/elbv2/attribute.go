package elbv2

import (
	"slices"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/query"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// pair is an attribute of a request and of an answer.
type pair struct {
	Key   string `aws:"Key,required"`
	Value string `aws:"Value"`
}

// attribute is one that a resource can have.
type attribute struct {
	key, first string
	// right tells whether a value is one, and must says what it must be.
	right func(string) bool
	must  string
}

// toggle is an attribute that is true or false.
func toggle(key, first string) attribute { return oneOf(key, first, "true", "false") }

// oneOf is an attribute that is one of the values.
func oneOf(key, first string, values ...string) attribute {
	must := "must be one of " + values[0]
	for _, v := range values[1:] {
		must += ", " + v
	}
	return attribute{key, first, func(v string) bool { return slices.Contains(values, v) }, must}
}

// number is an attribute that is a number between two, or one of the words.
func number(key, first string, least, most int, words ...string) attribute {
	must := "must be a number between " + strconv.Itoa(least) + " and " + strconv.Itoa(most)
	for _, w := range words {
		must += " or " + w
	}
	return attribute{key, first, func(v string) bool {
		n, err := strconv.Atoi(v)
		return slices.Contains(words, v) || err == nil && n >= least && n <= most && strconv.Itoa(n) == v
	}, must}
}

// text is an attribute that is a text of at most a number of bytes.
func text(key string, most int) attribute {
	return attribute{key, "", func(v string) bool { return len(v) <= most }, "must have at most " + strconv.Itoa(most) + " bytes"}
}

// attributes are those of a resource.
type attributes []attribute

// all are the attributes with the values that a resource has, and the first ones for others.
func (as attributes) all(kept func(key string) (string, bool)) []pair {
	pairs := make([]pair, len(as))
	for i, a := range as {
		pairs[i] = pair{a.key, a.first}
		if v, ok := kept(a.key); ok {
			pairs[i].Value = v
		}
	}
	return pairs
}

// with changes the values of pairs to those of a request.
func (as attributes) with(pairs, change []pair) ([]pair, error) {
	pairs = slices.Clone(pairs)
	for _, c := range change {
		i := slices.IndexFunc(as, func(a attribute) bool { return a.key == c.Key })
		switch {
		case i < 0:
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The attribute '%s' is not one that the resource has", query.Clip(c.Key))
		case !as[i].right(c.Value):
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "The attribute '%s' is %q: %s", c.Key, query.Clip(c.Value), as[i].must)
		}
		pairs[i].Value = c.Value
	}
	return pairs, nil
}

// keep changes what a resource keeps to the values of pairs: those that are not the first ones.
func (as attributes) keep(pairs []pair, kept map[string]string, prefix string) {
	for i, a := range as {
		delete(kept, prefix+a.key)
		if pairs[i].Value != a.first {
			kept[prefix+a.key] = pairs[i].Value
		}
	}
}

// valueOf is the value of an attribute among pairs.
func valueOf(pairs []pair, key string) string {
	if i := slices.IndexFunc(pairs, func(p pair) bool { return p.Key == key }); i >= 0 {
		return pairs[i].Value
	}
	return ""
}
