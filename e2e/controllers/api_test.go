package controllers_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// paperAPI has what the controllers ask of an API server, in JSON: conflicts of updates, but no selectors and no watch lists.
type paperAPI struct {
	mu      sync.Mutex
	objects map[string]map[string]any // by key
	history []watchEvent              // an object's version is its place in here, from 1
	changed chan struct{}             // is closed by the next change
	agents  []string                  // User-Agents, without their beginnings
}

type watchEvent struct {
	Type     string         `json:"type"`
	Object   map[string]any `json:"object"`
	resource string
}

// openAPI serves an API server at a pipe and returns an access to it.
func openAPI(t *testing.T) (*paperAPI, *rest.Config, kubernetes.Interface) {
	t.Helper()
	api := &paperAPI{objects: map[string]map[string]any{}, changed: make(chan struct{})}
	pipe := wire.New()
	listener, err := pipe.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: api}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	admin := pipe.Transport()
	t.Cleanup(func() {
		_ = server.Close()
		_ = <-served // it was told to end
		admin.CloseIdleConnections()
	})
	config := func(transport http.RoundTripper) *rest.Config {
		return &rest.Config{Host: "http://" + listener.Addr().String(), Transport: transport, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	}
	kube, err := kubernetes.NewForConfig(config(admin))
	if err != nil {
		t.Fatal(err)
	}
	return api, config(pipe.Transport()), kube
}

// target is what a path names.
type target struct{ namespace, resource, name string }

func parseTarget(path string) target {
	words := strings.Split(strings.Trim(path, "/"), "/")
	words = words[slices.Index(words, "v1")+1:]
	var t target
	if words[0] == "namespaces" && len(words) > 2 {
		t.namespace, words = words[1], words[2:]
	}
	t.resource = words[0]
	if len(words) > 1 {
		t.name = words[1]
	}
	return t
}

func (t target) key() string { return t.resource + "/" + t.namespace + "/" + t.name }

// ServeHTTP implements http.Handler.
func (a *paperAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		_, _ = io.WriteString(w, "ok")
		return
	}
	at, query := parseTarget(r.URL.Path), r.URL.Query()
	a.remember(r.UserAgent())
	switch {
	case query.Has("sendInitialEvents"):
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
	case query.Get("watch") != "":
		a.watch(w, r, at.resource)
	case r.Method == http.MethodGet && at.name == "":
		answer(w, http.StatusOK, a.list(at.resource))
	default:
		body, _ := io.ReadAll(r.Body)
		if object, reason := a.one(r.Method, at, body); reason == "" {
			answer(w, http.StatusOK, object)
		} else {
			refuse(w, http.StatusConflict, reason)
		}
	}
}

func (a *paperAPI) remember(agent string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.agents = append(a.agents, agent[strings.LastIndex(agent, "/")+1:])
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	answer(w, code, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: reason, Code: int32(code)})
}

// answer must not be called with the lock: a client may read late, and in a bubble time stands still while another waits for a lock.
func answer(w http.ResponseWriter, code int, object any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

var listKinds = map[string]string{"nodes": "NodeList", "services": "ServiceList", "persistentvolumes": "PersistentVolumeList"}

func (a *paperAPI) list(resource string) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	items := []map[string]any{}
	for key, object := range a.objects {
		if strings.HasPrefix(key, resource+"/") {
			items = append(items, object)
		}
	}
	return map[string]any{"kind": listKinds[resource], "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": strconv.Itoa(len(a.history))}, "items": items}
}

func (a *paperAPI) watch(w http.ResponseWriter, r *http.Request, resource string) {
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).Flush()
	for {
		a.mu.Lock()
		events, changed := slices.Clone(a.history[from:]), a.changed
		a.mu.Unlock()
		from += len(events)
		for _, event := range events {
			if event.resource == resource {
				_ = json.NewEncoder(w).Encode(event)
				_ = http.NewResponseController(w).Flush()
			}
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// one gets or changes one object.
func (a *paperAPI) one(method string, at target, body []byte) (object map[string]any, refusal metav1.StatusReason) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if method == http.MethodPost {
		_ = json.Unmarshal(body, &object)
		at.name = (&unstructured.Unstructured{Object: object}).GetName()
	}
	old, found := a.objects[at.key()]
	switch {
	case method == http.MethodPost && found:
		return nil, metav1.StatusReasonAlreadyExists
	case method == http.MethodPost:
		return a.changes("ADDED", at, object), ""
	case !found:
		return nil, metav1.StatusReasonNotFound
	case method == http.MethodPut:
		if _ = json.Unmarshal(body, &object); version(object) != version(old) {
			return nil, metav1.StatusReasonConflict
		}
		return a.changes("MODIFIED", at, object), ""
	case method == http.MethodPatch:
		return a.changes("MODIFIED", at, patched(at.resource, old, body)), ""
	case method == http.MethodDelete:
		delete(a.objects, at.key())
		return a.changes("DELETED", at, old), ""
	}
	return old, ""
}

func version(object map[string]any) string {
	return (&unstructured.Unstructured{Object: object}).GetResourceVersion()
}

// changes puts a change of an object into the history.
func (a *paperAPI) changes(kind string, at target, object map[string]any) map[string]any {
	object = (&unstructured.Unstructured{Object: object}).DeepCopy().Object
	u := unstructured.Unstructured{Object: object}
	u.SetResourceVersion(strconv.Itoa(len(a.history) + 1))
	if u.GetUID() == "" {
		u.SetUID("1")
	}
	if kind != "DELETED" {
		a.objects[at.key()] = object
	}
	a.history = append(a.history, watchEvent{Type: kind, Object: object, resource: at.resource})
	close(a.changed)
	a.changed = make(chan struct{})
	return object
}

// patched applies a patch of the controllers; for these objects all kinds are strategic merges.
func patched(resource string, old map[string]any, patch []byte) map[string]any {
	raw, _ := json.Marshal(old)
	kinds := map[string]any{"nodes": v1.Node{}, "services": v1.Service{}, "events": v1.Event{}}
	merged, err := strategicpatch.StrategicMergePatch(raw, patch, kinds[resource])
	if err != nil {
		panic(fmt.Sprintf("patch %s: %v", resource, err))
	}
	var object map[string]any
	_ = json.Unmarshal(merged, &object)
	return object
}
