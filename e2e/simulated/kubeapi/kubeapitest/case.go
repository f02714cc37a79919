package kubeapitest

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Need names what some topics need beyond an API server with an admin's access.
type Need string

const (
	// Controllers is the kube-controller-manager, or what replaces it.
	Controllers Need = "controllers"
	// Authorization is RBAC: a client without rights is refused.
	Authorization Need = "authorization"
)

// Topic is one file of cases.
type Topic struct {
	Name  string `json:"-"`
	Needs []Need `json:"needs,omitempty"`
	// Shared holds YAML anchors that several cases use.
	Shared any    `json:"shared,omitempty"`
	Cases  []Case `json:"cases"`
}

// Case is a sequence of requests that shows one promise. The text $(ns) in a step is a name
// that no other case has: that of a namespace, if a path says namespaces/$(ns), and of cluster-scoped objects.
// What a case creates is deleted when it ends.
type Case struct {
	Name    string `json:"name"`
	Promise string `json:"promise"`
	Steps   []Step `json:"steps"`

	topic string
}

// Step is one request, or one look at a watch that an earlier step has opened.
// A text of the form $(label.field.0.field) in a path, header or body stands for a value of an earlier answer.
type Step struct {
	// Do is the method and the path of a request.
	Do string `json:"do,omitempty"`
	// Watch is the path of a watch to open, which stays open until the end of the case.
	Watch string `json:"watch,omitempty"`
	// Events is the label of a watch to read from.
	Events string `json:"events,omitempty"`

	// As labels the answer or the watch.
	As string `json:"as,omitempty"`
	// Show reduces the body of the answer to these dotted paths.
	Show []string `json:"show,omitempty"`
	// Pick reduces lists of the answer, by their dotted paths, to the elements of these names, and sorts them.
	Pick map[string][]string `json:"pick,omitempty"`
	// Types replaces the values of the answer by their types.
	Types bool `json:"types,omitempty"`
	// ManagedFields keeps metadata.managedFields in the answer.
	ManagedFields bool `json:"managedFields,omitempty"`

	request
	reading
	// Await repeats a request until it is answered with this status, and the value of each dotted path in Has is there.
	Await int               `json:"await,omitempty"`
	Has   map[string]string `json:"has,omitempty"`
}

// request has what a request can carry.
type request struct {
	// Type is the media type of the body or a short name of it: see mediaTypes. JSON by default.
	Type string `json:"type,omitempty"`
	// Accept is a media type or a short name of it.
	Accept string `json:"accept,omitempty"`
	// Body is sent in the form that Type says; a text is sent as it is.
	Body any `json:"body,omitempty"`
	// From labels an answer that is sent, merged with Body.
	From string `json:"from,omitempty"`
	// Token is sent instead of the admin's credentials; "none" sends no credentials.
	Token string `json:"token,omitempty"`
}

// reading says how far a watch is read: Count events, or up to a bookmark, or to its end.
type reading struct {
	Count int    `json:"count,omitempty"`
	Until string `json:"until,omitempty"`
}

//go:embed cases
var cases embed.FS

// Topics returns the whole table. It panics when the embedded files are wrong, which a test excludes.
func Topics() []Topic {
	files, err := cases.ReadDir("cases")
	if err != nil {
		panic(err)
	}
	var topics []Topic
	for _, file := range files {
		topic, err := parseTopic(path.Join("cases", file.Name()))
		if err != nil {
			panic(err)
		}
		topics = append(topics, topic)
	}
	return topics
}

// Select returns the topics of the table that need no more than the server has.
func Select(has ...Need) []Topic {
	return slices.DeleteFunc(Topics(), func(topic Topic) bool {
		return slices.ContainsFunc(topic.Needs, func(need Need) bool { return !slices.Contains(has, need) })
	})
}

func parseTopic(file string) (Topic, error) {
	raw, err := cases.ReadFile(file)
	if err != nil {
		return Topic{}, err
	}
	return Parse(strings.TrimSuffix(path.Base(file), ".yaml"), raw)
}

// Parse parses the file of a topic.
func Parse(name string, raw []byte) (Topic, error) {
	topic := Topic{Name: name}
	if err := yaml.UnmarshalStrict(raw, &topic); err != nil {
		return Topic{}, fmt.Errorf("topic %s: %w", name, err)
	}
	for i := range topic.Cases {
		topic.Cases[i].topic = name
	}
	return topic, nil
}
