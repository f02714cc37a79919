package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestFieldsThatDiffer compares elements of lists by what identifies them.
func TestFieldsThatDiffer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		was, is string
		want    []string
	}{
		"equal":              {`{"state":"running","labels":null}`, `{"state":"running"}`, nil},
		"a value":            {`{"state":"running","size":1}`, `{"state":"stopped","size":0}`, []string{"size: 1 -> 0", "state: running -> stopped"}},
		"a label":            {`{"labels":{"a":"1"}}`, `{"labels":{"b.c/d":"2"}}`, []string{"labels[a]: 1 -> <nil>", "labels[b.c/d]: <nil> -> 2"}},
		"an option":          {`{"ls":[{"id":"tcp-80","options":{"a.b":"1"}}]}`, `{"ls":[{"id":"tcp-80"}],"options":{"c.d":"2"}}`, []string{"ls[tcp-80].options[a.b]: 1 -> <nil>", "options[c.d]: <nil> -> 2"}},
		"the first is new":   {`{"t":[{"id":"a","n":1}]}`, `{"t":[{"id":"b","n":2},{"id":"a","n":1}]}`, []string{"t[b]: <nil> -> map[id:b n:2]"}},
		"one is changed":     {`{"r":[{"destination":"10.0.0.0/24","s":"x"},{"destination":"10.1.0.0/24","s":"x"}]}`, `{"r":[{"destination":"10.1.0.0/24","s":"y"},{"destination":"10.0.0.0/24","s":"x"}]}`, []string{"r[10.1.0.0/24].s: x -> y"}},
		"two keys":           {`{"t":[{"instance":"i-1","port":80,"h":1},{"instance":"i-1","port":81,"h":1}]}`, `{"t":[{"instance":"i-1","port":81,"h":2}]}`, []string{"t[i-1:80]: map[h:1 instance:i-1 port:80] -> <nil>", "t[i-1:81].h: 1 -> 2"}},
		"texts":              {`{"v":["vol-1","vol-2"]}`, `{"v":["vol-2","vol-3"]}`, []string{"v[vol-1]: vol-1 -> <nil>", "v[vol-3]: <nil> -> vol-3"}},
		"only the order":     {`{"v":["a","b"]}`, `{"v":["b","a"]}`, []string{"v: [a b] -> [b a]"}},
		"nothing identifies": {`{"v":[1,2]}`, `{"v":[1,3,4]}`, []string{"v[1]: 2 -> 3", "v[2]: <nil> -> 4"}},
		"the 11th position":  {`{"v":[1,1,1,1,1,1,1,1,1,1,1]}`, `{"v":[1,1,0,1,1,1,1,1,1,1,0]}`, []string{"v[2]: 1 -> 0", "v[10]: 1 -> 0"}},
		"the type":           {`{"v":["a"]}`, `{"v":"a"}`, []string{"v: [a] -> a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var was, is map[string]any
			if err := json.Unmarshal([]byte(test.was), &was); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.is), &is); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, field := range fieldsThatDiffer(was, is) {
				got = append(got, fmt.Sprintf("%s: %v -> %v", field.Path, field.Was, field.Is))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
