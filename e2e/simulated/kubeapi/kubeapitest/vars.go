package kubeapitest

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// variables are the labelled answers of a case, and ns.
type variables map[string]any

// variable matches $(label.field): no strategic-merge directive such as $patch.
var variable = regexp.MustCompile(`\$\(([^)]+)\)`)

// get returns the value at a dotted path.
func (v variables) get(path string) (any, error) {
	value, ok := at(map[string]any(v), path)
	if !ok {
		return nil, fmt.Errorf("variable $(%s) not found in the earlier answers", path)
	}
	return value, nil
}

// at returns the value at a dotted path; a number is an index.
func at(value any, path string) (any, bool) {
	for key := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			next, ok := inner[strings.ReplaceAll(key, "~", ".")]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, false
			}
			value = inner[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func (v variables) expand(text string) (string, error) { return v.replace(text, fmt.Sprint) }

func (v variables) expandPath(path string) (string, error) {
	return v.replace(path, func(value ...any) string { return url.QueryEscape(fmt.Sprint(value...)) })
}

func (v variables) replace(text string, format func(...any) string) (string, error) {
	var failed error
	expanded := variable.ReplaceAllStringFunc(text, func(found string) string {
		value, err := v.get(variable.FindStringSubmatch(found)[1])
		if err != nil {
			failed = err
		}
		return format(value)
	})
	return expanded, failed
}

// expandAll returns a copy of content with all variables replaced.
func (v variables) expandAll(content any) (any, error) {
	var failed error
	expanded := rewrite(content, func(_ string, value any) any {
		text, ok := value.(string)
		if !ok {
			return value
		}
		text, err := v.expand(text)
		if err != nil {
			failed = err
		}
		return text
	})
	return expanded, failed
}

// rewrite returns a copy of content with f applied to all that is in it, inner values first. f gets the
// key of a value in its map; the elements of a list have the key of the list.
func rewrite(content any, f func(key string, value any) any) any { return rewriteKey("", content, f) }

func rewriteKey(key string, value any, f func(string, any) any) any {
	switch inner := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(inner))
		for k, v := range inner {
			copied[k] = rewriteKey(k, v, f)
		}
		return f(key, copied)
	case []any:
		copied := make([]any, len(inner))
		for i, v := range inner {
			copied[i] = rewriteKey(key, v, f)
		}
		return f(key, copied)
	}
	return f(key, value)
}
