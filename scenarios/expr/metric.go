package expr

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// metric sums the series of a metric that have these labels, in the text format of Prometheus.
func metric(args ...ref.Val) ref.Val {
	text, _ := args[0].Value().(string)
	name, _ := args[1].Value().(string)
	want := map[string]string{}
	labels, _ := native(args[2]).(map[string]any)
	for key, value := range labels {
		want[key], _ = value.(string)
	}
	return types.Double(SumOfMetric(text, name, want))
}

// SumOfMetric adds up the series of a metric, in a page in the text format of Prometheus, that have these labels.
func SumOfMetric(page, name string, labels map[string]string) float64 {
	sum := 0.0
	for line := range strings.Lines(page) {
		s, ok := parseSeries(line)
		if ok && s.name == name && s.has(labels) {
			sum += s.value
		}
	}
	return sum
}

// HasMetric reports whether a page has a series of a metric with these labels.
func HasMetric(page, name string, labels map[string]string) bool {
	for line := range strings.Lines(page) {
		if s, ok := parseSeries(line); ok && s.name == name && s.has(labels) {
			return true
		}
	}
	return false
}

// series is one line of a page of metrics.
type series struct {
	name   string
	labels map[string]string
	value  float64
}

// has reports whether the series has all of these labels.
func (s series) has(want map[string]string) bool {
	for key, value := range want {
		if has, ok := s.labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// parseSeries reads a line such as `calls_total{code="",operation="GetZone"} 3`; false for comments.
func parseSeries(line string) (series, bool) {
	line = strings.TrimSpace(line)
	at := strings.IndexAny(line, "{ ")
	if at <= 0 || line[0] == '#' {
		return series{}, false
	}
	s := series{name: line[:at], labels: map[string]string{}}
	rest := line[at:]
	if rest[0] == '{' {
		var ok bool
		if rest, ok = s.readLabels(rest[1:]); !ok {
			return series{}, false
		}
	}
	words := strings.Fields(rest) // the value, and perhaps a time
	if len(words) == 0 {
		return series{}, false
	}
	value, err := strconv.ParseFloat(words[0], 64)
	s.value = value
	return s, err == nil
}

// readLabels reads `a="b",c="d"} rest` and returns the rest.
func (s series) readLabels(text string) (rest string, ok bool) {
	for {
		text = strings.TrimLeft(text, ", ")
		if rest, end := strings.CutPrefix(text, "}"); end {
			return rest, true
		}
		key, after, found := strings.Cut(text, "=")
		quoted, err := strconv.QuotedPrefix(after)
		if !found || err != nil {
			return "", false
		}
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return "", false
		}
		s.labels[strings.TrimSpace(key)] = value
		text = after[len(quoted):]
	}
}
