package backendtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// apiServer is as much of an API server as a cluster without a CCM asks for. It
// keeps objects by their paths, such as /api/v1/nodes/node-1.
type apiServer struct {
	notReady bool

	mu      sync.Mutex
	objects map[string]any
	last    int // of the UIDs
}

// lists are the kinds of the lists that typed clients read, by the resource.
var lists = map[string]metav1.TypeMeta{
	"nodes":      {Kind: "NodeList", APIVersion: "v1"},
	"namespaces": {Kind: "NamespaceList", APIVersion: "v1"},
	"leases":     {Kind: "LeaseList", APIVersion: "coordination.k8s.io/v1"},
}

// discovery is what the server says of its resources: that it has nothing worth sweeping.
var discovery = map[string]any{
	"/api":    metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
	"/apis":   metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}},
	"/api/v1": metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "v1"},
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, known := discovery[r.URL.Path]
	switch object, there := s.objects[r.URL.Path]; {
	case r.URL.Path == "/readyz" && s.notReady:
		w.WriteHeader(http.StatusInternalServerError)
	case known:
		reply(w, http.StatusOK, found)
	case r.Method == http.MethodPost:
		s.create(w, r)
	case r.Method == http.MethodDelete:
		delete(s.objects, r.URL.Path)
		reply(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
	case there:
		reply(w, http.StatusOK, object)
	case strings.HasSuffix(r.URL.Path, "s"): // the name of a resource; those of objects end otherwise
		s.list(w, r)
	case r.URL.Path != "/readyz":
		reply(w, http.StatusNotFound, failure(http.StatusNotFound, metav1.StatusReasonNotFound))
	}
}

// create keeps an object that is new. A token it only returns.
func (s *apiServer) create(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	at := path.Join(r.URL.Path, object.(metav1.Object).GetName())
	if s.objects[at] != nil {
		reply(w, http.StatusConflict, failure(http.StatusConflict, metav1.StatusReasonAlreadyExists))
		return
	}
	if path.Base(r.URL.Path) != "token" {
		s.put(at, object.(metav1.Object))
	}
	reply(w, http.StatusCreated, object)
}

// list returns the objects of a resource, whatever their namespaces.
func (s *apiServer) list(w http.ResponseWriter, r *http.Request) {
	resource := path.Base(r.URL.Path)
	kind := lists[resource]
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
		kind = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}
	}
	items := []any{}
	for _, at := range slices.Sorted(maps.Keys(s.objects)) {
		if path.Base(path.Dir(at)) == resource {
			items = append(items, s.objects[at])
		}
	}
	reply(w, http.StatusOK, map[string]any{"kind": kind.Kind, "apiVersion": kind.APIVersion, "metadata": map[string]any{}, "items": items})
}

func (s *apiServer) put(at string, object metav1.Object) {
	s.last++
	object.SetUID(types.UID(fmt.Sprint("uid-", s.last)))
	s.objects[at] = object
}

// register puts a Node there unless it is.
func (s *apiServer) register(node *corev1.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := "/api/v1/nodes/" + node.Name; s.objects[at] == nil {
		s.put(at, node)
	}
}

// report sets the condition Ready of a Node that is there.
func (s *apiServer) report(name string, ready corev1.ConditionStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if node, ok := s.objects["/api/v1/nodes/"+name].(*corev1.Node); ok {
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	}
}

// forget removes the objects whose paths have a part.
func (s *apiServer) forget(part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.objects, func(at string, _ any) bool { return strings.Contains(at, part) })
}

func failure(code int32, reason metav1.StatusReason) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: code, Reason: reason, Message: string(reason),
	}
}

func reply(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value)
}
