package console

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// ClusterPath is the path at which the page asks what has changed in the cluster.
const ClusterPath = Path + "cluster"

// mostRecords is how many of the latest changes and events of a cluster are remembered at most, and half of it at least.
const mostRecords = 2000

// Cluster is what the console shows of the Kubernetes cluster on a cloud: its Nodes, the Services that want
// load balancers, and the latest changes of both and Events. Whoever has made cloud and cluster writes it; the cloud
// itself reads nothing of it. The zero value is a cluster that has not answered yet.
type Cluster struct {
	mu       sync.Mutex
	revision uint64
	nodes    map[string]Node
	services map[string]Service
	records  []Record
	trouble  map[string]string
}

// Node is a Node of the cluster, as far as the console shows it.
type Node struct {
	ID            string    `json:"id"` // its name
	Name          string    `json:"name"`
	UID           string    `json:"uid"`
	State         string    `json:"state"` // Ready or NotReady
	Message       string    `json:"message,omitempty"`
	Taints        []string  `json:"taints,omitempty"`
	Unschedulable bool      `json:"unschedulable,omitempty"`
	Deleting      bool      `json:"deleting,omitempty"`
	ProviderID    string    `json:"providerID,omitempty"`
	Addresses     []string  `json:"nodeAddresses,omitempty"`
	Created       time.Time `json:"created"`
}

// Service is a Service that has or wants a load balancer.
type Service struct {
	ID        string    `json:"id"` // namespace/name
	Name      string    `json:"name"`
	UID       string    `json:"uid"`
	Ports     []string  `json:"ports"`
	Addresses []string  `json:"ingress,omitempty"`
	Class     string    `json:"class,omitempty"`
	Deleting  bool      `json:"deleting,omitempty"`
	Created   time.Time `json:"created"`
}

// Event is an Event of the cluster.
type Event struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	From    string `json:"from,omitempty"` // the component
	Count   int32  `json:"count,omitempty"`
}

// Record is a change of a Node or a Service, or an Event about anything.
type Record struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
	// Kind is of what it is, node, service, or the kind that an Event is about, and ID that one's name, after its namespace.
	Kind string `json:"kind"`
	ID   string `json:"id"`
	// Type is added, changed or deleted; of an Event Normal or Warning.
	Type string `json:"type"`
	// What has changed, in words.
	What    string   `json:"what,omitempty"`
	Node    *Node    `json:"node,omitempty"`
	Service *Service `json:"service,omitempty"`
	Event   *Event   `json:"event,omitempty"`
}

// The types of changes.
const (
	added   = "added"
	changed = "changed"
	deleted = "deleted"
)

// SetNode takes a Node as it is now.
func (c *Cluster) SetNode(n Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.nodes[n.ID]
	if known && reflect.DeepEqual(before, n) {
		return
	}
	if c.nodes == nil {
		c.nodes = map[string]Node{}
	}
	c.nodes[n.ID] = n
	r := Record{Kind: "node", ID: n.ID, Type: added, What: strings.Join(n.traits(), " "), Node: &n}
	if known {
		r.Type, r.What = changed, n.since(before)
	}
	c.record(r)
}

// KeepNodes removes the Nodes whose names are not among those.
func (c *Cluster) KeepNodes(names map[string]bool) { keep(c, c.nodeNames, names, c.RemoveNode) }

// RemoveNode takes it that a Node is gone.
func (c *Cluster) RemoveNode(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, known := c.nodes[name]; known {
		delete(c.nodes, name)
		c.record(Record{Kind: "node", ID: name, Type: deleted, Node: &n})
	}
}

// SetService takes a Service as it is now.
func (c *Cluster) SetService(s Service) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.services[s.ID]
	if known && reflect.DeepEqual(before, s) {
		return
	}
	if c.services == nil {
		c.services = map[string]Service{}
	}
	c.services[s.ID] = s
	r := Record{Kind: "service", ID: s.ID, Type: added, What: s.status(), Service: &s}
	if known {
		r.Type = changed
	}
	c.record(r)
}

// KeepServices removes the Services whose ids are not among those.
func (c *Cluster) KeepServices(ids map[string]bool) { keep(c, c.serviceIDs, ids, c.RemoveService) }

// RemoveService takes it that a Service is gone, or wants no load balancer any more.
func (c *Cluster) RemoveService(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, known := c.services[id]; known {
		delete(c.services, id)
		c.record(Record{Kind: "service", ID: id, Type: deleted, Service: &s})
	}
}

func (c *Cluster) nodeNames() []string  { return slices.Sorted(maps.Keys(c.nodes)) }
func (c *Cluster) serviceIDs() []string { return slices.Sorted(maps.Keys(c.services)) }

func keep(c *Cluster, all func() []string, kept map[string]bool, remove func(string)) {
	c.mu.Lock()
	ids := all()
	c.mu.Unlock()
	for _, id := range ids {
		if !kept[id] {
			remove(id)
		}
	}
}

// AddEvent takes an Event about a thing of a kind, of a type such as Warning.
func (c *Cluster) AddEvent(at time.Time, kind, id, eventType string, e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record(Record{Time: at, Kind: strings.ToLower(kind), ID: id, Type: eventType, Event: &e})
}

// SetTrouble says why something of the cluster cannot be watched; empty when it can be again.
func (c *Cluster) SetTrouble(of, problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trouble == nil {
		c.trouble = map[string]string{}
	}
	c.trouble[of] = problem
}

// record remembers what has happened, and forgets the oldest of too many.
func (c *Cluster) record(r Record) {
	c.revision++
	r.Seq = c.revision
	if r.Time.IsZero() {
		r.Time = time.Now().UTC()
	}
	if len(c.records) >= mostRecords {
		c.records = slices.Clone(c.records[len(c.records)-mostRecords/2+1:])
	}
	c.records = append(c.records, r)
}

// Changes is what the page gets of a cluster.
type Changes struct {
	// Attached is whether there is a cluster; else there is nothing more.
	Attached bool   `json:"attached"`
	Revision uint64 `json:"revision,omitempty"`
	// Trouble is why the cluster cannot be watched.
	Trouble string `json:"trouble,omitempty"`
	// Whole is whether Nodes and Services are all there are; else only the records are new.
	Whole    bool      `json:"whole,omitempty"`
	Nodes    []Node    `json:"nodes,omitempty"`
	Services []Service `json:"services,omitempty"`
	Records  []Record  `json:"records,omitempty"`
}

// Since returns what has changed after a revision: all there is where that was never, or is no longer remembered.
func (c *Cluster) Since(revision uint64) Changes {
	if c == nil {
		return Changes{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	changes := Changes{Attached: true, Revision: c.revision, Trouble: c.troubles()}
	if revision == 0 || revision > c.revision || c.revision-revision > uint64(len(c.records)) {
		changes.Whole, changes.Records = true, slices.Clone(c.records)
		for _, name := range c.nodeNames() {
			changes.Nodes = append(changes.Nodes, c.nodes[name])
		}
		for _, id := range c.serviceIDs() {
			changes.Services = append(changes.Services, c.services[id])
		}
		return changes
	}
	changes.Records = slices.Clone(c.records[len(c.records)-int(c.revision-revision):]) //nolint:gosec // at most mostRecords
	return changes
}

func (c *Cluster) troubles() string {
	for _, of := range slices.Sorted(maps.Keys(c.trouble)) {
		if c.trouble[of] != "" {
			return cmp.Or(of, "cluster") + ": " + c.trouble[of]
		}
	}
	return ""
}

// traits are what a Node is and has, in words.
func (n Node) traits() []string {
	traits := append([]string{n.State}, n.Taints...)
	if n.Unschedulable {
		traits = append(traits, "cordoned")
	}
	if n.Deleting {
		traits = append(traits, "being deleted")
	}
	if n.ProviderID != "" {
		traits = append(traits, n.ProviderID)
	}
	return append(traits, n.Addresses...)
}

// since says how a Node differs from what it was: what it has is after a +, what it had after a −.
func (n Node) since(before Node) string {
	var words []string
	if before.UID != n.UID {
		words = append(words, "another Node of that name")
	}
	was, is := before.traits(), n.traits()
	for _, trait := range is {
		if !slices.Contains(was, trait) {
			words = append(words, "+"+trait)
		}
	}
	for _, trait := range was {
		if !slices.Contains(is, trait) {
			words = append(words, "−"+trait)
		}
	}
	if len(words) == 0 {
		return n.Message
	}
	return strings.Join(words, " ")
}

// status is what a Service has, in words.
func (s Service) status() string {
	words := slices.Concat(s.Ports, s.Addresses)
	if s.Deleting {
		words = append(words, "being deleted")
	}
	return strings.Join(words, " ")
}

// ServeChanges answers with what has changed since a revision. A caller comes here when an admin's token was seen.
func (c *Cluster) ServeChanges(w http.ResponseWriter, after uint64) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(c.Since(after)) // a client that has gone is not our concern
}
