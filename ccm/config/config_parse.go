package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Parse reads a cloud config. It is strict: an unknown key, a key given
// twice or a value of the wrong type is an error that names name, line and key.
func Parse(name string, data []byte) (Config, error) {
	cfg := Default()
	p := configParser{name: name}
	doc, err := p.document(data)
	if err != nil {
		return Config{}, err
	}
	if len(doc.Content) == 1 {
		if err := p.mapping("", doc.Content[0], cfg.keys(p)); err != nil {
			return Config{}, err
		}
	}
	for _, required := range []struct{ key, value string }{{"endpoint", cfg.Endpoint}, {"tokenFile", cfg.TokenFile}} {
		if required.value == "" {
			return Config{}, fmt.Errorf("%s: %s is missing", name, required.key)
		}
	}
	return cfg, nil
}

type configParser struct{ name string }

// document reads the only document of data; of an empty file, one without content.
func (p configParser) document(data []byte) (doc yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return doc, p.syntaxError(err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			return doc, p.syntaxError(err)
		}
		return doc, p.errorf(&second, "a second document: the file must have one")
	}
	return doc, nil
}

// syntaxError puts the line of the parser's "yaml: line 3: ..." behind the file's name.
func (p configParser) syntaxError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		return fmt.Errorf("%s:%s", p.name, rest)
	}
	return fmt.Errorf("%s: %s", p.name, message)
}

// Keys are the keys that a cloud config can have, sorted. Those of
// loadBalancer follow it and a dot.
func Keys() []string {
	cfg := Default()
	keys := slices.Collect(maps.Keys(cfg.keys(configParser{})))
	for key := range cfg.LoadBalancer.keys(configParser{}) {
		keys = append(keys, "loadBalancer."+key)
	}
	slices.Sort(keys)
	return keys
}

// setter takes the value of one key.
type setter func(key string, value *yaml.Node) error

func (c *Config) keys(p configParser) map[string]setter {
	return map[string]setter{
		"endpoint":          p.endpoint(&c.Endpoint),
		"tokenFile":         text(p, &c.TokenFile),
		"caFile":            text(p, &c.CAFile),
		"project":           text(p, &c.Project),
		"region":            text(p, &c.Region),
		"network":           text(p, &c.Network),
		"routeTable":        text(p, &c.RouteTable),
		"timeout":           p.duration(&c.Timeout, time.Millisecond),
		"retries":           p.count(&c.Retries),
		"retryBackoff":      p.duration(&c.RetryBackoff, time.Millisecond),
		"healthGracePeriod": p.duration(&c.HealthGracePeriod, 0),
		"nodeGracePeriod":   p.duration(&c.NodeGracePeriod, 0),
		"instanceListAge":   p.duration(&c.InstanceListAge, 0),
		"instancesV1":       p.boolean(&c.InstancesV1),
		"nodeLabelPrefix":   text(p, &c.NodeLabelPrefix),
		"routeNextHop":      p.nextHop(&c.RouteNextHop),
		"loadBalancer": func(key string, value *yaml.Node) error {
			return p.mapping(key+".", value, c.LoadBalancer.keys(p))
		},
	}
}

func (d *LoadBalancer) keys(p configParser) map[string]setter {
	return map[string]setter{
		"internal":         p.boolean(&d.Internal),
		"algorithm":        p.algorithm(&d.Algorithm),
		"idleTimeout":      p.idleTimeout(&d.IdleTimeout),
		"proxyProtocol":    p.boolean(&d.ProxyProtocol),
		"class":            text(p, &d.Class),
		"floatingIPPool":   text(p, &d.FloatingIPPool),
		"floatingIPPoolV6": text(p, &d.FloatingIPPoolV6),
	}
}

func (p configParser) mapping(path string, node *yaml.Node, keys map[string]setter) error {
	if node.Kind != yaml.MappingNode {
		return p.errorf(node, "%s: must be a mapping of keys to values", strings.TrimSuffix(path, "."))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		full := path + key.Value
		set, known := keys[key.Value]
		switch {
		case !known:
			return p.errorf(key, "unknown key %s: must be one of %s", full, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
		case seen[key.Value]:
			return p.errorf(key, "%s is given twice", full)
		}
		seen[key.Value] = true
		if err := set(full, value); err != nil {
			return err
		}
	}
	return nil
}

// text takes a string.
func text[T ~string](p configParser, into *T) setter {
	return func(key string, value *yaml.Node) error {
		if value.Kind != yaml.ScalarNode || value.Tag != "!!str" {
			return p.errorf(value, "%s: %q is not a string", key, value.Value)
		}
		*into = T(value.Value)
		return nil
	}
}

func (p configParser) boolean(into *bool) setter {
	return func(key string, value *yaml.Node) error {
		if value.Tag != "!!bool" || value.Decode(into) != nil {
			return p.errorf(value, "%s: %q is not true or false", key, value.Value)
		}
		return nil
	}
}

func (p configParser) duration(into *time.Duration, atLeast time.Duration) setter {
	return func(key string, value *yaml.Node) error {
		d, err := time.ParseDuration(value.Value)
		if err != nil || d < atLeast {
			return p.errorf(value, "%s: %q is not a duration of at least %s, such as 10s", key, value.Value, atLeast)
		}
		*into = d
		return nil
	}
}

// count takes a whole number, 0 included.
func (p configParser) count(into *int) setter {
	return func(key string, value *yaml.Node) error {
		n, err := strconv.Atoi(value.Value)
		if err != nil || value.Tag != "!!int" || n < 0 {
			return p.errorf(value, "%s: %q is not a whole number from 0", key, value.Value)
		}
		*into = n
		return nil
	}
}

func (p configParser) idleTimeout(into *time.Duration) setter {
	return func(key string, value *yaml.Node) (err error) {
		if *into, err = ParseIdleTimeout(value.Value); err != nil {
			return p.errorf(value, "%s: %v", key, err)
		}
		return nil
	}
}

func (p configParser) algorithm(into *simcloud.Algorithm) setter {
	return func(key string, value *yaml.Node) (err error) {
		if *into, err = ParseAlgorithm(value.Value); err != nil {
			return p.errorf(value, "%s: %v", key, err)
		}
		return nil
	}
}

func (p configParser) nextHop(into *RouteNextHop) setter {
	return func(key string, value *yaml.Node) error {
		switch hop := RouteNextHop(value.Value); hop {
		case RouteToInstance, RouteToAddress:
			*into = hop
			return nil
		default:
			return p.errorf(value, "%s: %q is not %s or %s", key, value.Value, RouteToInstance, RouteToAddress)
		}
	}
}

func (p configParser) endpoint(into *string) setter {
	return func(key string, value *yaml.Node) error {
		u, err := url.Parse(value.Value)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return p.errorf(value, "%s: %q is not a URL such as http://127.0.0.1:8080", key, value.Value)
		}
		*into = strings.TrimSuffix(value.Value, "/")
		return nil
	}
}

func (p configParser) errorf(at *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.name, at.Line, fmt.Sprintf(format, args...))
}

// The values that the cloud config and annotations have in common.

// ParseAlgorithm reads how a target is chosen.
func ParseAlgorithm(value string) (simcloud.Algorithm, error) {
	switch a := simcloud.Algorithm(value); a {
	case simcloud.RoundRobin, simcloud.LeastConnections:
		return a, nil
	}
	return "", fmt.Errorf("must be %q or %q", simcloud.RoundRobin, simcloud.LeastConnections)
}

// maxIdleTimeout is generous: what it stops is a slip of the unit.
const maxIdleTimeout = 24 * time.Hour

// ParseIdleTimeout reads how long a connection may be silent, up to a day.
func ParseIdleTimeout(value string) (time.Duration, error) {
	return ParseSeconds(value, maxIdleTimeout)
}

// ParseSeconds takes whole seconds: that is what the cloud counts in.
func ParseSeconds(value string, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < time.Second || d > most || d%time.Second != 0 {
		return 0, fmt.Errorf("must be a duration of whole seconds from 1s to %s, such as 90s", most)
	}
	return d, nil
}
