package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// source is the text of a profile.
type source struct {
	// name is for errors, key tells the profile from all others, dir is the folder that files are named from.
	name, key, dir string
	raw            []byte
}

// sourceOf is the text of a file of a user.
func sourceOf(file string, raw []byte) source {
	key, err := filepath.Abs(file)
	if err != nil { // there is no working directory: the name has to do
		key = file
	}
	return source{name: file, key: key, dir: filepath.Dir(file), raw: raw}
}

// likeOf returns the text of the profile that spec.like names: one of [Names], or a file beside the one that names it.
func (s source) likeOf(word string) (source, error) {
	switch {
	case slices.Contains(Names(), word):
		raw, err := files.ReadFile(word + ".yaml")
		return source{name: word + ".yaml", key: word, raw: raw}, err
	case path.Ext(word) == ".yaml":
		file := word
		if !filepath.IsAbs(file) {
			file = filepath.Join(s.dir, file)
		}
		raw, err := os.ReadFile(file)
		return sourceOf(file, raw), err
	}
	return source{}, fmt.Errorf("there is no profile %q: want one of %s, or a file that ends with .yaml", word, strings.Join(Names(), ", "))
}

// chain are the profiles from the one that is read to the one that is looked at, each like the next.
type chain []source

// with adds a profile, which must not be there already.
func (c chain) with(s source) (chain, error) {
	var names []string
	for _, above := range c {
		names = append(names, above.name)
	}
	for _, above := range c {
		if above.key == s.key {
			return nil, fmt.Errorf("spec.like leads back to where it began: %s: want a profile that is like none of these",
				strings.Join(append(names, s.name), " is like "))
		}
	}
	return append(slices.Clone(c), s), nil
}

// read decodes the last profile of the chain over the one that it is like, and returns the keys of both as well.
func (c chain) read() (document, map[string]any, error) {
	s := c[len(c)-1]
	var own document
	if err := yaml.UnmarshalStrict(s.raw, &own); err != nil {
		return own, nil, err
	}
	placeKnown(own.Spec.Known, s.name)
	var keys map[string]any
	if err := yaml.Unmarshal(s.raw, &keys); err != nil || own.Spec.Like == "" {
		return own, keys, err
	}
	other, otherKeys, err := c.readLike(s, own.Spec.Like)
	if err != nil {
		return own, nil, err
	}
	d, keys, err := own.over(other, keys, otherKeys)
	return d, keys, err
}

// readLike reads the profile that another one is like.
func (c chain) readLike(s source, like string) (document, map[string]any, error) {
	next, err := s.likeOf(like)
	if err != nil {
		return document{}, nil, fmt.Errorf("spec.like: %w", err)
	}
	longer, err := c.with(next)
	if err != nil {
		return document{}, nil, err
	}
	d, keys, err := longer.read()
	if err == nil {
		err = d.check()
	}
	if err != nil {
		return d, nil, fmt.Errorf("%s: %w", next.name, err)
	}
	return d, keys, nil
}

// over is a document with the entries of another where it says nothing else. The keys are those of the two files.
func (d document) over(other document, keys, otherKeys map[string]any) (document, map[string]any, error) {
	args, err := argEntries.merge(other.Spec.Args, d.Spec.Args)
	if err != nil {
		return d, nil, fmt.Errorf("spec.args: %w", err)
	}
	env, err := envEntries.merge(other.Spec.Env, d.Spec.Env)
	if err != nil {
		return d, nil, fmt.Errorf("spec.env: %w", err)
	}
	both := mergeKeys(otherKeys, keys)
	if spec, is := both["spec"].(map[string]any); is {
		spec["args"], spec["env"] = args, env
		d.dropReplaced(spec)
	}
	raw, err := json.Marshal(both)
	if err != nil {
		return d, nil, err
	}
	var merged document
	if err := yaml.UnmarshalStrict(raw, &merged); err != nil {
		return d, nil, err
	}
	merged.Spec.Known = other.Spec.Known // both know their places
	if d.Spec.Known != nil {
		merged.Spec.Known = d.Spec.Known
	}
	return merged, both, nil
}

// dropReplaced takes from the merged keys what another key of this document stands in place of.
func (d document) dropReplaced(spec map[string]any) {
	switch {
	case d.Spec.Binary != "" && d.Spec.Subject == "":
		delete(spec, "subject")
	case d.Spec.Subject != "" && d.Spec.Binary == "":
		delete(spec, "binary")
	}
	hostnamed := d.Spec.Cloud != nil && d.Spec.Cloud.Hostnames != nil
	switch naming, _ := spec["naming"].(map[string]any); {
	case hostnamed && d.Spec.Naming.NodeName == "":
		delete(naming, "nodeName")
	case d.Spec.Naming.NodeName != "" && !hostnamed:
		rules, _ := spec["cloud"].(map[string]any)
		delete(rules, "hostnames")
	}
}

// mergeKeys puts the keys of own over those of other: maps are added to, null takes a key away, and anything else takes
// the place of what is there.
func mergeKeys(other, own map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, other)
	for key, value := range own {
		inner, isMap := value.(map[string]any)
		below, wasMap := merged[key].(map[string]any)
		switch {
		case value == nil:
			delete(merged, key)
		case isMap && wasMap:
			merged[key] = mergeKeys(below, inner)
		case isMap:
			merged[key] = mergeKeys(nil, inner)
		default:
			merged[key] = value
		}
	}
	return merged
}
