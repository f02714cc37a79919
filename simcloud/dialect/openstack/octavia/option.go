package octavia

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// The options in which the cloud keeps what Octavia knows beyond it.
const (
	optionDescription = "description"
	optionProvider    = "provider"
	optionFlavor      = "flavor"
	optionZone        = "availability-zone"
	optionSubnet      = "subnet"
	optionTags        = "tags"
	// optionGeneration counts the changes of what is a part of a load balancer: each makes the load balancer busy, as it does in Octavia.
	optionGeneration  = "generation"
	optionProtocol    = "protocol"
	optionLimit       = "connection-limit"
	optionTimeouts    = "timeouts"
	optionHeaders     = "insert-headers"
	optionTLS         = "default-tls-container-ref"
	optionSNI         = "sni-container-refs"
	optionAlgorithm   = "lb-algorithm"
	optionPersistence = "session-persistence"
	optionMonitor     = "health-monitor"
	optionAddress     = "address"
	optionMonitorPort = "monitor-port"
	optionMonitorAt   = "monitor-address"
	optionBackup      = "backup"
)

// options are those of a resource while they are changed.
type options map[string]string

func copyOptions(of map[string]string) options {
	all := maps.Clone(of)
	if all == nil {
		all = map[string]string{}
	}
	return all
}

// text keeps a text, or removes it when it is empty.
func (o options) text(key, value string) {
	if value == "" {
		delete(o, key)
		return
	}
	o[key] = value
}

// number keeps a number that differs from what it is without the option.
func (o options) number(key string, value, fallback int) {
	if value == fallback {
		delete(o, key)
		return
	}
	o[key] = strconv.Itoa(value)
}

// json keeps a value, or removes it when it is the empty one.
func (o options) json(key string, value any, empty bool) {
	raw, err := json.Marshal(value)
	if empty || err != nil { // texts, numbers and lists of them always are JSON
		o.remove(key)
		return
	}
	o.put(key, string(raw))
}

// maxOption is how many bytes the cloud lets an option have.
const maxOption = 1024

// put keeps a text in as many options as it takes.
func (o options) put(key, text string) {
	o.remove(key)
	for n := 0; text != ""; n++ {
		part := strings.ToValidUTF8(text[:min(len(text), maxOption)], "") // without half a character at its end
		o[partKey(key, n)] = part
		text = text[len(part):]
	}
}

// remove removes what put has kept.
func (o options) remove(key string) {
	maps.DeleteFunc(o, func(name, _ string) bool { return name == key || strings.HasPrefix(name, key+"#") })
}

func partKey(key string, n int) string {
	if n == 0 {
		return key
	}
	return key + "#" + strconv.Itoa(n)
}

// textIn reads what put has kept.
func textIn(of map[string]string, key string) string {
	text := of[key]
	for n := 1; ; n++ {
		part, ok := of[partKey(key, n)]
		if !ok {
			return text
		}
		text += part
	}
}

// numberIn reads what number has kept.
func numberIn(of map[string]string, key string, fallback int) int {
	n, err := strconv.Atoi(of[key])
	if err != nil {
		return fallback
	}
	return n
}

// valueIn reads what json has kept; the zero value for none.
func valueIn[T any](of map[string]string, key string) (v T) {
	_ = json.Unmarshal([]byte(textIn(of, key)), &v) // another client may have changed the options
	return v
}

// listIn reads a list, which is never null.
func listIn(of map[string]string, key string) []string {
	return append([]string{}, valueIn[[]string](of, key)...)
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// updatedText is the time of the last change; null before the first.
func updatedText(created, updated time.Time) *string {
	if !updated.After(created) {
		return nil
	}
	return textOrNull(service.TimeText(updated))
}
