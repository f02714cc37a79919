package kubeapitest

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tokens are what a case's answers have in place of values that differ from run to run.
type tokens struct {
	sent     map[string]bool   // values that the case's requests name
	texts    map[string]string // tokens of UIDs, addresses and names
	ports    map[float64]string
	versions map[uint64]bool // of objects
	ranks    []uint64        // the same in order
	counts   map[string]int  // tokens of each kind
}

func newTokens(c Case) *tokens {
	t := &tokens{
		sent: map[string]bool{}, texts: map[string]string{}, ports: map[float64]string{},
		versions: map[uint64]bool{}, counts: map[string]int{},
	}
	for _, step := range c.Steps {
		rewrite(step.Body, func(_ string, value any) any {
			switch value.(type) {
			case string, float64:
				t.sent[fmt.Sprint(value)] = true
			}
			return value
		})
	}
	return t
}

// next returns the next token of a kind.
func (t *tokens) next(kind string) string {
	t.counts[kind]++
	return fmt.Sprintf("%s-%d", kind, t.counts[kind])
}

// text gives a text a token, unless it has one or the case has sent it.
func (t *tokens) text(value, kind, format string) {
	if value == "" || t.sent[value] || t.texts[value] != "" {
		return
	}
	t.texts[value] = fmt.Sprintf(format, t.next(kind))
}

var uid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// collectTexts gives tokens to the texts and ports of an answer, in the order of their keys.
func (t *tokens) collectTexts(a Answer) {
	for _, content := range append([]any{a.Body}, a.Events...) {
		walk("", content, func(key string, value any) {
			switch value := value.(type) {
			case map[string]any:
				t.collectName(value)
			case string:
				t.collectText(key, value)
			case float64:
				t.collectPort(key, value)
			}
		})
	}
}

// collectName gives a token to an object's generated name.
func (t *tokens) collectName(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	name, _ := metadata["name"].(string)
	if prefix != "" && strings.HasPrefix(name, prefix) {
		t.text(name, "generated", prefix+"<%s>")
	}
}

// collectVersions collects the versions of the objects that an answer shows.
func (t *tokens) collectVersions(a Answer) {
	for _, content := range append([]any{a.Body}, a.Events...) {
		walk("", content, func(_ string, value any) {
			version, _ := at(value, "metadata.resourceVersion")
			if number, err := strconv.ParseUint(fmt.Sprint(version), 10, 64); err == nil {
				t.versions[number] = true
			}
		})
	}
	t.ranks = slices.Sorted(maps.Keys(t.versions))
}

func (t *tokens) collectText(key, value string) {
	switch {
	case uid.MatchString(value):
		t.text(value, "uid", "%s")
	case key == "clusterIP" || key == "clusterIPs":
		addr, err := netip.ParseAddr(value)
		if err == nil && addr.Is4() {
			t.text(value, "ip4", "<%s>")
		} else if err == nil {
			t.text(value, "ip6", "<%s>")
		}
	}
}

// The node ports of a server with its defaults.
const firstNodePort, lastNodePort = 30000, 32767

func (t *tokens) collectPort(key string, value float64) {
	if key != "nodePort" && key != "healthCheckNodePort" || value < firstNodePort || value > lastNodePort {
		return
	}
	if !t.sent[fmt.Sprint(value)] && t.ports[value] == "" {
		t.ports[value] = "<" + t.next("nodePort") + ">"
	}
}

// walk calls f for all that is in content, outer values first and maps in the order of their keys.
func walk(key string, content any, f func(key string, value any)) {
	f(key, content)
	switch inner := content.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(inner)) {
			walk(k, inner[k], f)
		}
	case []any:
		for _, v := range inner {
			walk(key, v, f)
		}
	}
}

// apply returns an answer with the tokens in their places.
func (t *tokens) apply(a Answer) Answer {
	replace := t.replacer()
	a.Body = t.applyTo(a, a.Body, replace)
	for i := range a.Events {
		a.Events[i] = t.applyTo(a, a.Events[i], replace)
	}
	a.Text = replace(a.Text)
	for name, value := range a.Header {
		a.Header[name] = replace(value)
	}
	return a
}

// applyTo returns content of an answer with the tokens in their places.
func (t *tokens) applyTo(a Answer, content any, replace func(string) string) any {
	return rewrite(content, func(key string, value any) any {
		switch value := value.(type) {
		case map[string]any:
			return renamed(t.versioned(value), replace)
		case string:
			return t.textToken(key, replace(value), a.at)
		case float64:
			return t.number(key, value)
		}
		return value
	})
}

// number returns a port's token or the number, as an integer if it is one.
func (t *tokens) number(key string, value float64) any {
	if token := t.ports[value]; token != "" && strings.HasSuffix(strings.ToLower(key), "nodeport") {
		return token
	}
	if whole := int64(value); float64(whole) == value {
		return whole
	}
	return value
}

// renamed replaces texts in the keys of a map.
func renamed(object map[string]any, replace func(string) string) map[string]any {
	result := make(map[string]any, len(object))
	for key, value := range object {
		result[replace(key)] = value
	}
	return result
}

// versioned replaces the version of an object: by its rank among the versions of the case's objects.
func (t *tokens) versioned(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	text, _ := metadata["resourceVersion"].(string)
	digits, ofList := strings.CutPrefix(text, collection)
	version, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return object
	}
	rank, found := slices.BinarySearch(t.ranks, version)
	if found {
		rank++
	}
	switch {
	case !ofList:
		metadata["resourceVersion"] = fmt.Sprintf("rv-%d", rank)
	case rank > 0:
		metadata["resourceVersion"] = fmt.Sprintf("at least rv-%d", rank)
	default:
		metadata["resourceVersion"] = "<version>"
	}
	return object
}

// messages are the parts of messages that differ from run to run, or that show the types of the server's own code.
var messages = []struct {
	pattern *regexp.Regexp
	token   string
}{
	{regexp.MustCompile(`(?s)(Invalid value: )"\{.*\}"`), `$1"<object>"`},
	{regexp.MustCompile(`((?:Invalid|Duplicate) value: )\{(?:[^{}]|\{[^{}]*\})*\}`), "$1<object>"},
	{regexp.MustCompile(`(?s)\n@@ .*`), "\n<difference>"},
	{regexp.MustCompile(`Key: [^,]*,`), "Key: <key>,"},
	{regexp.MustCompile(`(too old resource version: \d+ )\(\d+\)`), "$1(<version>)"},
	{regexp.MustCompile(`(current: )\d+`), "$1<version>"},
	{regexp.MustCompile(`(ResourceVersion in (?:the )?(?:precondition|object meta|record):? \(?)\d+`), "$1<version>"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "<server>"},
	{regexp.MustCompile(`in scheme "[^"]*"`), `in scheme "<scheme>"`},
	{regexp.MustCompile(`([*(])(?:core|apps|discovery|v1)\.([A-Z])`), "$1<package>.$2"},
}

// replacer replaces UIDs, addresses and names within texts, the longest ones first.
func (t *tokens) replacer() func(string) string {
	var pairs []string
	byLength := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, value := range slices.SortedFunc(maps.Keys(t.texts), byLength) {
		pairs = append(pairs, value, t.texts[value])
	}
	known := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = known.Replace(text)
		for _, m := range messages {
			text = m.pattern.ReplaceAllString(text, m.token)
		}
		return text
	}
}

// textToken replaces a text as a whole. Times are compared with that of the answer.
func (t *tokens) textToken(key, value string, now time.Time) string {
	if key == "continue" || key == "token" {
		if value != "" {
			return "<" + key + ">"
		}
		return value
	}
	moment, err := time.Parse(time.RFC3339, value)
	if err != nil || t.sent[value] {
		return value
	}
	switch {
	case moment.After(now.Add(10 * time.Second)):
		return "<later>"
	case moment.Before(now.Add(-time.Minute)):
		return "<earlier>"
	}
	return "<now>"
}
