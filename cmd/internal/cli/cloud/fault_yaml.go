package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud/escape"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// readRules reads rules: each document is one, or a list of them.
func readRules(name string, from io.Reader) ([]fault.Rule, error) {
	documents, err := readYAML(name, from)
	if err != nil {
		return nil, err
	}
	var rules []fault.Rule
	for _, document := range documents {
		items := []*yaml.Node{document}
		if document.Kind == yaml.SequenceNode {
			items = document.Content
		}
		for _, item := range items {
			rule, err := readRule(item)
			if err != nil {
				return nil, fmt.Errorf("%s: rule %d: %w", name, len(rules)+1, withLines(item, err))
			}
			rules = append(rules, rule)
		}
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s: there is no fault rule in it", name)
	}
	return rules, nil
}

func readRule(item *yaml.Node) (fault.Rule, error) {
	var value any
	if err := item.Decode(&value); err != nil {
		return fault.Rule{}, err
	}
	raw, err := json.Marshal(written(value))
	if err != nil {
		return fault.Rule{}, err
	}
	return fault.Parse(raw)
}

// cloudFields are the fields of a rule that the cloud fills in.
var cloudFields = []string{"id", "added", "calls", "hits"}

// written is a rule without what the cloud says of it, so that what "fault
// list -o yaml" prints can be added to a cloud again.
func written(item any) any {
	rule, ok := item.(map[string]any)
	if !ok {
		return item
	}
	rule = maps.Clone(rule)
	for _, field := range cloudFields {
		delete(rule, field)
	}
	return rule
}

// asWritten is a rule as a file has it.
func asWritten(rule fault.Rule) (any, error) {
	raw, err := json.Marshal(rule)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	return written(value), nil
}

// readYAML reads documents; those that are empty are left out.
func readYAML(name string, from io.Reader) ([]*yaml.Node, error) {
	var documents []*yaml.Node
	for decoder := yaml.NewDecoder(from); ; {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return documents, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case len(document.Content) == 1 && document.Content[0].Tag != "!!null":
			documents = append(documents, document.Content[0])
		}
	}
}

// flow is a value in one line of YAML, as --effect takes it; empty for a value without fields.
func flow(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	raw = escape.JSON(raw) // the reader of YAML refuses bare control characters
	var node yaml.Node
	if yaml.Unmarshal(raw, &node) != nil { // it refuses surrogate pairs too
		return string(raw)
	}
	if len(node.Content) == 0 || len(node.Content[0].Content) == 0 {
		return ""
	}
	plain(&node)
	node.Content[0].Style = 0
	var cells []string
	pairs := node.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		value, err := yaml.Marshal(pairs[i+1])
		if err != nil {
			return ""
		}
		cells = append(cells, pairs[i].Value+": "+strings.TrimSpace(string(value)))
	}
	return strings.Join(cells, ", ")
}

// plain takes the quotes off that JSON has, where YAML needs none.
func plain(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		node.Style = 0
	}
	for _, child := range node.Content {
		plain(child)
	}
}
