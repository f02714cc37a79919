package profile

import (
	"fmt"
	"slices"
	"strings"
)

// entries are the rules by which lists of named words are merged: arguments by their flags, and assignments by their
// variables. As with kubectl label, a name with a dash after it takes away what has the name.
type entries struct {
	// of is what a name is the name of.
	of string
	// name is what a word is merged by; empty for one that stands alone.
	name func(word string) string
	// spelling is how a name is written in messages.
	spelling func(name string) string
}

// ofFlag is what arguments are the names of.
const ofFlag = "flag"

var (
	envEntries = entries{of: "variable", name: variableOf, spelling: func(name string) string { return name }}
	argEntries = entries{of: ofFlag, name: flagOf, spelling: func(name string) string { return "--" + name }}
)

// variableOf returns the name in NAME=value, or in NAME- which removes it.
func variableOf(word string) string {
	if name, _, assigned := strings.Cut(word, "="); assigned {
		return name
	}
	return strings.TrimSuffix(word, "-")
}

// flagOf returns the name of a flag without its dashes and its value: -v and --v are one flag, and, as Kubernetes has it,
// so are --a-b and --a_b. A word that is not a flag has none.
func flagOf(word string) string {
	name, _, _ := strings.Cut(word, "=")
	dashed := strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
	if dashed == name || strings.HasPrefix(dashed, "-") {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(dashed, "-"), "_", "-")
}

// removes reports whether a word takes away what has its name.
func (e entries) removes(word string) bool {
	return strings.HasSuffix(word, "-") && !strings.Contains(word, "=") && e.name(word) != ""
}

// merge puts the words of own over those of other: a word takes the place of what has its name, or else comes last.
func (e entries) merge(other, own []string) ([]string, error) {
	replaced, err := e.replaced(other, own)
	if err != nil {
		return nil, err
	}
	var merged []string
	placed := map[string]bool{}
	for _, word := range other {
		name := e.name(word)
		if _, changes := replaced[name]; !changes {
			merged = append(merged, word)
			continue
		}
		if !placed[name] {
			merged = append(merged, replaced[name]...)
		}
		placed[name] = true
	}
	for _, word := range own {
		if word == "{flags}" && slices.Contains(other, word) {
			continue // it stands for all flags, once
		}
		if !e.removes(word) && !placed[e.name(word)] {
			merged = append(merged, word)
		}
	}
	return merged, nil
}

// replaced returns what each name of other has that own sets, which is nothing for a name that own removes.
func (e entries) replaced(other, own []string) (map[string][]string, error) {
	all := map[string][]string{}
	for _, word := range own {
		name := e.name(word)
		if name == "" {
			continue
		}
		known := slices.ContainsFunc(other, func(word string) bool { return e.name(word) == name })
		set := slices.ContainsFunc(own, func(word string) bool { return e.name(word) == name && !e.removes(word) })
		switch {
		case e.removes(word) && set:
			return nil, fmt.Errorf("%q removes a %s that is set as well: want one of both", word, e.of)
		case e.removes(word) && !known:
			return nil, fmt.Errorf("%q removes nothing: the profile that this one is like has no %s %s (it has %s)", word, e.of, e.spelling(name), e.list(other))
		case !known:
			continue
		}
		if err := e.checkAlone(name, other, own); err != nil {
			return nil, err
		}
		if !e.removes(word) {
			all[name] = append(all[name], word)
		} else {
			all[name] = nil
		}
	}
	return all, nil
}

// checkAlone refuses to replace a flag when its value may be a word of its own: whether that word is its value would be a guess.
func (e entries) checkAlone(name string, lists ...[]string) error {
	if e.of != ofFlag {
		return nil
	}
	for _, words := range lists {
		for i, word := range words[:max(len(words)-1, 0)] {
			if next := words[i+1]; e.name(word) == name && !e.removes(word) && !strings.Contains(word, "=") && flagOf(next) == "" && next != "{flags}" {
				return fmt.Errorf("the flag %s is replaced, and whether %q is its value is not known: want %s=%s, or another place for that word", e.spelling(name), next, word, next)
			}
		}
	}
	return nil
}

// list names what words set, for a message.
func (e entries) list(words []string) string {
	var names []string
	for _, word := range words {
		if name := e.name(word); name != "" && !slices.Contains(names, e.spelling(name)) {
			names = append(names, e.spelling(name))
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
