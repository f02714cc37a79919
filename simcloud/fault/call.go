package fault

import (
	"cmp"
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Call is what a server knows of a call before it is carried out.
type Call struct {
	Endpoint simcloud.Endpoint
	// Dialect and Name are the wire format and what it calls the operation; empty for the cloud's own.
	Dialect, Name string
	Caller        simcloud.Caller
	// Resource is the id in the path; empty for lists and creations.
	Resource simcloud.ID
	// Whole is the resource in the path, such as "network/net-1", where the operation of the cloud is about a
	// part of it that has another kind: a route of the network. A lock keeps it busy. Empty everywhere else.
	Whole string
	// Named returns the ids of resources of the endpoint's kind that the request names by their names, or beside
	// Resource. A rule meets the call when it meets one of them. Nil: none. It is asked at most once.
	Named func() []simcloud.ID
	// Subject returns what the body of a creation says. It is asked at most once.
	Subject func() Subject
}

// Subject is what rules ask of a resource.
type Subject struct {
	Name   string            `json:"name"`
	Zone   simcloud.ID       `json:"zone"`
	Labels map[string]string `json:"labels"`
}

// Lookup finds what rules ask of a resource, as the caller of ctx sees it;
// false when it is not there.
type Lookup func(ctx context.Context, kind simcloud.Kind, id simcloud.ID) (Subject, bool)

// ref names what the call is about: "instance/i-7", or "instance" for lists and creations.
func (c *Call) ref() string {
	if c.Endpoint.Kind() == "" {
		return ""
	}
	return simcloud.Ref(c.Endpoint.Kind(), c.Resource)
}

// lockable is what a lock keeps busy: the resource in the path, or else the one of that id; empty when there is neither.
func (c *Call) lockable(id simcloud.ID) string {
	switch {
	case c.Whole != "":
		return c.Whole
	case cmp.Or(c.Resource, id) == "":
		return ""
	default:
		return simcloud.Ref(c.Endpoint.Kind(), cmp.Or(c.Resource, id))
	}
}

// matcher is a rule's Match, ready to be asked.
type matcher struct {
	match      Match
	armed      string // the name of a rule that resources ask for
	operations map[string]bool
	selector   labels.Selector // nil when nothing is selected
}

func newMatcher(r Rule, operations []operation) (matcher, error) {
	m := matcher{match: r.Match, operations: map[string]bool{}}
	for _, o := range operations {
		m.operations[o.name] = true
	}
	if r.Arm == ArmByLabel {
		m.armed = r.Name
	}
	if r.Match.Labels == "" {
		return m, nil
	}
	var err error
	m.selector, err = labels.Parse(r.Match.Labels)
	return m, err
}

// matches asks for the resource only when the call fits otherwise.
func (m *matcher) matches(c *Call, subject func() (Subject, bool)) bool {
	return m.fitsCaller(c) && m.matchesResource(c, subject)
}

// fitsCaller reports whether the rule is for the operation and the caller of a call.
func (m *matcher) fitsCaller(c *Call) bool {
	return m.chooses(c) &&
		(m.match.Project == "" || m.match.Project == c.Caller.Project) &&
		(m.match.Caller == "" || simcloud.Glob(m.match.Caller, c.Caller.UserAgent) || simcloud.Glob(m.match.Caller, string(c.Caller.Token)))
}

// chooses reports whether the rule names the operation, as the cloud or as the dialect calls it.
func (m *matcher) chooses(c *Call) bool {
	return m.operations[c.Endpoint.Operation] ||
		c.Dialect != "" && m.operations[simcloud.DialectOperation(c.Dialect, c.Name)]
}

func (m *matcher) matchesResource(c *Call, subject func() (Subject, bool)) bool {
	byRef := simcloud.Glob(m.match.Resource, c.ref())
	if !byRef && strings.Contains(m.match.Resource, "/") { // no name has one
		return false
	}
	if byRef && m.selector == nil && m.match.Zone == "" && m.armed == "" {
		return true
	}
	of, known := subject()
	return known &&
		(byRef || simcloud.Glob(m.match.Resource, of.Name)) &&
		(m.selector == nil || m.selector.Matches(labels.Set(of.Labels))) &&
		(m.match.Zone == "" || m.match.Zone == of.Zone) &&
		(m.armed == "" || m.armed == of.Labels[Label])
}
