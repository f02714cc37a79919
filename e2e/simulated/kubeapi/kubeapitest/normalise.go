package kubeapitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// normalise returns the answers of a case with tokens for what differs from run to run.
func normalise(c Case, raw []Answer) CaseAnswers {
	answers := make(CaseAnswers, len(raw))
	t := newTokens(c)
	for i, a := range raw {
		t.collectTexts(a)
		answers[i] = a.reduced(c.Steps[i])
		t.collectVersions(answers[i])
	}
	for i, a := range answers {
		answers[i] = t.apply(a)
	}
	return answers
}

// reduced returns the part of an answer that its step shows.
func (a Answer) reduced(step Step) Answer {
	a.Body = sorted(marked(a.Body))
	for path, names := range step.Pick {
		pick(a.Body, path, names)
	}
	a.Body = shown(a.Body, step.Show)
	events := make([]any, len(a.Events))
	for i, event := range a.Events {
		events[i] = marked(event)
		if object, ok := events[i].(map[string]any); ok {
			object["object"] = shown(object["object"], step.Show)
		}
	}
	if a.Events = events; len(events) == 0 {
		a.Events = nil
	}
	if step.Types {
		a.Body = types(a.Body)
	}
	if step.ManagedFields {
		return a
	}
	a.Body = withoutManagedFields(a.Body)
	for i := range a.Events {
		a.Events[i] = withoutManagedFields(a.Events[i])
	}
	return a
}

// collection marks the version of a list or a bookmark, which unrelated writes raise.
const collection = ">="

// marked returns a copy of content with the versions of lists and bookmarks marked.
func marked(content any) any {
	return rewrite(content, func(_ string, value any) any {
		object, _ := value.(map[string]any)
		metadata, ok := object["metadata"].(map[string]any)
		if version, _ := metadata["resourceVersion"].(string); ok && version != "" && ofCollection(object) {
			metadata["resourceVersion"] = collection + version
		}
		return value
	})
}

// sorted returns content with the conflicts of an apply in order: in the answer their order is random.
func sorted(content any) any {
	return rewrite(content, func(key string, value any) any {
		if causes, ok := value.([]any); ok && key == "causes" && len(causes) > 0 && isConflict(causes[0]) {
			slices.SortFunc(causes, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return value
	})
}

func isConflict(cause any) bool {
	reason, _ := at(cause, "reason")
	return reason == "FieldManagerConflict"
}

// ofCollection reports whether an object's version is that of a list, as a list and a bookmark have it.
func ofCollection(object map[string]any) bool {
	kind, _ := object["kind"].(string)
	uid, _ := at(object, "metadata.uid")
	return strings.HasSuffix(kind, "List") || uid == nil
}

func withoutManagedFields(content any) any {
	return rewrite(content, func(key string, value any) any {
		if metadata, ok := value.(map[string]any); ok && key == "metadata" {
			delete(metadata, "managedFields")
		}
		return value
	})
}

// shown reduces an object to dotted paths. A Status is always shown as a whole.
func shown(content any, paths []string) any {
	object, ok := content.(map[string]any)
	if len(paths) == 0 || !ok || object["kind"] == "Status" && object["code"] != nil {
		return content
	}
	reduced := map[string]any{}
	for _, path := range paths {
		if value, ok := at(object, path); ok {
			put(reduced, path, value)
		}
	}
	return reduced
}

// put sets the value at a dotted path. Elements of lists become maps by their index.
func put(object map[string]any, path string, value any) {
	key, rest, deeper := strings.Cut(path, ".")
	key = strings.ReplaceAll(key, "~", ".")
	if !deeper {
		object[key] = value
		return
	}
	inner, ok := object[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
	}
	inner = maps.Clone(inner)
	object[key] = inner
	put(inner, rest, value)
}

// pick reduces the list at a dotted path to elements of these names, in place and in order.
func pick(content any, path string, names []string) {
	parent, key := content, path
	if i := strings.LastIndex(path, "."); i >= 0 {
		parent, _ = at(content, path[:i])
		key = path[i+1:]
	}
	object, ok := parent.(map[string]any)
	if !ok {
		return
	}
	list, _ := object[key].([]any)
	var kept []any
	for _, element := range list {
		if named(element, names) {
			kept = append(kept, element)
		}
	}
	slices.SortFunc(kept, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	object[key] = kept
}

// named reports whether an element of a list is, or has, one of the names.
func named(element any, names []string) bool {
	for _, name := range names {
		for _, path := range []string{"name", "metadata.name", "resource", "groupVersion", "version"} {
			if value, _ := at(element, path); value == name {
				return true
			}
		}
		if element == name {
			return true
		}
	}
	return false
}

// types replaces values by their types.
func types(content any) any {
	return rewrite(content, func(_ string, value any) any {
		switch value.(type) {
		case string:
			return "<text>"
		case float64:
			return "<number>"
		}
		return value
	})
}
