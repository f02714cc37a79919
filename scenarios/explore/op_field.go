package explore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// field is a field of an op in a file.
type field struct {
	key string
	// write is the value; nil for one that files leave out.
	write func() *yaml.Node
	read  func(n *yaml.Node) error
}

// readFields reads a mapping of fields; nil is an empty one.
func readFields(n *yaml.Node, fields []field) error {
	given := map[string]*yaml.Node{}
	if n != nil {
		if n.Kind != yaml.MappingNode {
			return fmt.Errorf("line %d is not a mapping of fields", n.Line)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			given[n.Content[i].Value] = n.Content[i+1]
		}
	}
	for _, f := range fields {
		if err := f.read(given[f.key]); err != nil {
			return fmt.Errorf("%s: %w", f.key, err)
		}
		delete(given, f.key)
	}
	for key := range given {
		return fmt.Errorf("this version of simcloud has no field %q", key)
	}
	return nil
}

func scalar(value any) *yaml.Node {
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		panic(err) // a string, a number or a flag
	}
	return n
}

// objectName is what a VM or a Service can be called. It is written into scenario files.
var objectName = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)

// nameField is the name of a VM or a Service.
func nameField(name *string) field {
	return field{
		key:   "name",
		write: func() *yaml.Node { return scalar(*name) },
		read: func(n *yaml.Node) error {
			if n == nil || !objectName.MatchString(n.Value) {
				return fmt.Errorf("must be a name")
			}
			*name = n.Value
			return nil
		},
	}
}

// flagField is a flag, which files have when it is set.
func flagField(key string, flag *bool) field {
	return field{
		key: key,
		write: func() *yaml.Node {
			if !*flag {
				return nil
			}
			return scalar(true)
		},
		read: func(n *yaml.Node) error {
			if n == nil {
				return nil
			}
			return n.Decode(flag)
		},
	}
}

// numberField is a number from low to high, which files leave out when it is 0.
func numberField(key string, number *int, low, high int) field {
	return field{
		key: key,
		write: func() *yaml.Node {
			if *number == 0 {
				return nil
			}
			return scalar(*number)
		},
		read: func(n *yaml.Node) error {
			if n != nil {
				if err := n.Decode(number); err != nil {
					return err
				}
			}
			if *number < low || *number > high {
				return fmt.Errorf("is %d: must be between %d and %d", *number, low, high)
			}
			return nil
		},
	}
}

// choiceField is one of some words.
func choiceField[T ~string](key string, choice *T, of []T) field {
	return field{
		key:   key,
		write: func() *yaml.Node { return scalar(string(*choice)) },
		read: func(n *yaml.Node) error {
			if n == nil || !slices.Contains(of, T(n.Value)) {
				return fmt.Errorf("is not one that this version of simcloud has")
			}
			*choice = T(n.Value)
			return nil
		},
	}
}

// linesField is a text with a word of some on each line, which files have as a list.
func linesField(key string, lines *string, of []string) field {
	return field{
		key: key,
		write: func() *yaml.Node {
			list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, line := range strings.Split(*lines, "\n") {
				list.Content = append(list.Content, scalar(line))
			}
			return list
		},
		read: func(n *yaml.Node) error {
			var all []string
			if n == nil || n.Decode(&all) != nil || len(all) == 0 {
				return fmt.Errorf("must be a list")
			}
			for _, line := range all {
				if !slices.Contains(of, line) {
					return fmt.Errorf("%q is not one that this version of simcloud has", line)
				}
			}
			*lines = strings.Join(all, "\n")
			return nil
		},
	}
}
