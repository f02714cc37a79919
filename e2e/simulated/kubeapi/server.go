package kubeapi

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
	"k8s.io/utils/ptr"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
)

// Version is the Kubernetes that the server follows.
const Version = "v1.37.1"

// watchTimeout is how long a watch lasts at least, unless the client says.
const watchTimeout = 30 * time.Minute

// Config describes a server.
type Config struct {
	// ServiceRanges are what Services have their cluster IPs from: one range, or one of each family. The first is the default.
	ServiceRanges []netip.Prefix
	// Seed is what UIDs follow from.
	Seed uint64
}

// Server is an API server. Its objects live as long as it does.
type Server struct {
	state *state
	admin string

	mu      sync.Mutex
	serving *http.Server
	done    chan struct{}
}

// New returns a server with the namespaces of a new cluster.
func New(cfg Config) *Server {
	if len(cfg.ServiceRanges) == 0 {
		cfg.ServiceRanges = []netip.Prefix{netip.MustParsePrefix("10.96.0.0/16"), netip.MustParsePrefix("fd00:10:96::/112")}
	}
	s := &Server{state: &state{db: store.New(), serviceRanges: cfg.ServiceRanges, seed: cfg.Seed, tokens: map[string]identity{}, caches: map[string]*store.Cache{}, next: cursor{addresses: map[corev1.IPFamily]netip.Addr{}}}}
	s.admin = s.state.issue(identity{DefaultInfo: user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}})
	s.bootstrap()
	return s
}

// bootstrap makes what each cluster begins with.
func (s *Server) bootstrap() {
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.state.nextUID(), CreationTimestamp: metav1.Now()}}
		namespaceRules.created(namespace)
		s.state.db.Add(namespaceTable, "/"+namespaceTable+"/"+name, namespace)
	}
	for name, rules := range bootstrapRoles {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, UID: s.state.nextUID(), CreationTimestamp: metav1.Now()}, Rules: rules}
		s.state.db.Add(clusterRoleTable, "/"+clusterRoleTable+"/"+name, role)
	}
	reader := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{
		Name: "extension-apiserver-authentication-reader", Namespace: metav1.NamespaceSystem, UID: s.state.nextUID(), CreationTimestamp: metav1.Now(),
	}}
	s.state.db.Add(roleTable, "/"+roleTable+"/"+metav1.NamespaceSystem+"/"+reader.Name, reader)
	s.addOwnService()
	s.state.db.Compact() // clients that watch from the first version have to list
}

// addOwnService adds the Service by which pods reach the API server.
func (s *Server) addOwnService() {
	first := s.state.serviceRanges[0]
	ip, family := first.Addr().Next().String(), familyOf(first)
	own := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kubernetes", Namespace: metav1.NamespaceDefault, UID: s.state.nextUID(), CreationTimestamp: metav1.Now(),
			Labels: map[string]string{"component": "apiserver", "provider": "kubernetes"},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: ip, ClusterIPs: []string{ip}, IPFamilies: []corev1.IPFamily{family}, IPFamilyPolicy: ptr.To(corev1.IPFamilyPolicySingleStack),
			Ports: []corev1.ServicePort{{Name: "https", Port: 443, TargetPort: intstr.FromInt32(6443)}},
		},
	}
	defaultService(own)
	s.state.db.Add(serviceTable, "/"+serviceTable+"/"+own.Namespace+"/"+own.Name, own)
}

// bootstrapRoles are those of a new cluster that are bound to CCMs.
var bootstrapRoles = map[string][]rbacv1.PolicyRule{
	"system:auth-delegator": {
		{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}},
		{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}},
	},
}

// AdminToken is a token with which all is allowed.
func (s *Server) AdminToken() string { return s.admin }

// DB has the objects.
func (s *Server) DB() *store.DB { return s.state.db }

// handler is what all servers share; a request carries its server in its context.
var handler = sync.OnceValue(func() http.Handler {
	resolver := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	h := filters.WithAuthorization(cached(routes()), rbac{}, codecs)
	h = recorded(h)
	h = authenticated(h)
	h = filters.WithWarningRecorder(h)
	h = filters.WithRequestInfo(h, resolver)
	h = filters.WithAuditInit(h)
	return filters.WithRequestReceivedTimestamp(h)
})

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler().ServeHTTP(w, r.WithContext(withState(r.Context(), s.state)))
}

// Serve answers at a listener until Close, which ends it without an error.
func (s *Server) Serve(listener net.Listener) {
	server, done := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}, make(chan struct{})
	s.mu.Lock()
	s.serving, s.done = server, done
	s.mu.Unlock()
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic("the simulated API server does not serve any more: " + err.Error()) // a listener in memory has no errors
		}
	}()
}

// Close cuts all connections and returns when nothing is served any more. The objects stay: Serve can be called again.
func (s *Server) Close() error {
	s.mu.Lock()
	server, done := s.serving, s.done
	s.serving = nil
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	err := server.Close()
	<-done
	return err
}

// authenticated lets requests with a token that is known through.
func authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const scheme = "Bearer "
		header := r.Header.Get("Authorization")
		if len(header) < len(scheme) {
			unauthorized(w)
			return
		}
		who, known := stateOf(r.Context()).who(header[len(scheme):])
		if !known {
			unauthorized(w)
			return
		}
		next.ServeHTTP(w, r.WithContext(request.WithUser(r.Context(), who)))
	})
}

func unauthorized(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Message: "Unauthorized", Reason: metav1.StatusReasonUnauthorized, Code: http.StatusUnauthorized,
	})
}

// Request is one that the server got.
type Request struct {
	Time                        time.Time
	User                        string
	Verb, Resource, Subresource string
	// Code is the status of the answer; 0 while it is under way, as a watch.
	Code int
}

// recorded notes requests for resources.
func recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := request.UserFrom(r.Context())
		info, _ := request.RequestInfoFrom(r.Context())
		if !info.IsResourceRequest || slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup) {
			next.ServeHTTP(w, r)
			return
		}
		s := stateOf(r.Context())
		i := s.note(Request{Time: time.Now(), User: who.GetName(), Verb: info.Verb, Resource: info.Resource, Subresource: info.Subresource})
		coded := &coded{ResponseWriter: w, note: func(code int) { s.answered(i, code) }}
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(coded), r) // it can be flushed, as w can
	})
}

func (s *state) note(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = append(s.record, r)
	return len(s.record) - 1
}

func (s *state) answered(i, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record[i].Code = code
}

// coded tells the status of an answer.
type coded struct {
	http.ResponseWriter
	note func(code int)
}

// WriteHeader notes the status.
func (c *coded) WriteHeader(code int) {
	c.note(code)
	c.ResponseWriter.WriteHeader(code)
}

// Unwrap is the writer below.
func (c *coded) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Requests are those of all users but admins since a time.
func (s *Server) Requests(since time.Time) []Request {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	first := slices.IndexFunc(s.state.record, func(r Request) bool { return !r.Time.Before(since) })
	if first < 0 {
		return nil
	}
	return slices.Clone(s.state.record[first:])
}

// addresses are those that discovery shows: clients do not use them.
type addresses struct{}

// ServerAddressByClientCIDRs returns one address for all clients.
func (addresses) ServerAddressByClientCIDRs(net.IP) []metav1.ServerAddressByClientCIDR {
	return []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: "127.0.0.1:6443"}}
}

func writeJSON(w http.ResponseWriter, content any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(content)
}

func serveVersion(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, version.Info{
		Major: "1", Minor: "37", EmulationMajor: "1", EmulationMinor: "37", MinCompatibilityMajor: "1", MinCompatibilityMinor: "36",
		GitVersion: Version, Platform: "paper"})
}

// Prepare makes what all servers of this process share, which must not be made in a bubble.
func Prepare() { handler() }
