package kubeapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	restful "github.com/emicklei/go-restful/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/applyconfigurations"
)

// routes are the handlers of all servers of this process: which one a request is for is said by its context.
var routes = sync.OnceValue(newRoutes)

// prefixes of the API.
const (
	corePrefix   = "/api"
	groupsPrefix = "/apis"
)

// maxBody is how many bytes a request may have, as with kube-apiserver.
const maxBody = 3 << 20

func newRoutes() http.Handler {
	container := restful.NewContainer()
	container.ServeMux = http.NewServeMux()
	container.Router(restful.CurlyRouter{})
	container.ServiceErrorHandler(serveError)
	storages := newStorages()
	for _, gv := range groupVersions(storages) {
		version := newGroupVersion(gv, storages[gv])
		_, _, err := version.InstallREST(container)
		utilruntime.Must(err) // a row of the table of resources is wrong
	}
	return director{container, serveDiscovery(container, groupVersions(storages))}
}

// director sends requests to the API, and others to the plain handlers.
type director struct {
	container *restful.Container
	plain     http.Handler
}

// ServeHTTP implements http.Handler.
func (d director) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, service := range d.container.RegisteredWebServices() {
		root := service.RootPath()
		if r.URL.Path == root || strings.HasPrefix(r.URL.Path, root+"/") {
			d.container.Dispatch(w, r)
			return
		}
	}
	d.plain.ServeHTTP(w, r)
}

// serveError answers requests that no handler is for, with a Status.
func serveError(refused restful.ServiceError, request *restful.Request, response *restful.Response) {
	responsewriters.ErrorNegotiated(
		apierrors.NewGenericServerResponse(refused.Code, "", schema.GroupResource{}, "", refused.Message, 0, false),
		codecs, schema.GroupVersion{}, response, request.Request)
}

// groupVersions are in the order of their names, the core group first.
func groupVersions(storages map[schema.GroupVersion]map[string]rest.Storage) []schema.GroupVersion {
	var all []schema.GroupVersion
	for gv := range storages {
		all = append(all, gv)
	}
	slices.SortFunc(all, func(a, b schema.GroupVersion) int {
		if a.Group == "" || b.Group == "" {
			return len(a.Group) - len(b.Group)
		}
		return slices.Compare([]string{a.Group, a.Version}, []string{b.Group, b.Version})
	})
	return all
}

func newGroupVersion(gv schema.GroupVersion, storage map[string]rest.Storage) *endpoints.APIGroupVersion {
	root := groupsPrefix
	if gv.Group == "" {
		root = corePrefix
	}
	return &endpoints.APIGroupVersion{
		Storage: storage, Root: root, GroupVersion: gv, OptionsExternalVersion: &schema.GroupVersion{Version: "v1"}, MetaGroupVersion: &metav1.SchemeGroupVersion,
		Serializer: codecs, ParameterCodec: parameterCodec, Typer: scheme, Creater: scheme, Convertor: scheme,
		ConvertabilityChecker: scheme, Defaulter: scheme, UnsafeConvertor: runtime.UnsafeObjectConvertor(scheme),
		Namer: runtime.Namer(meta.NewAccessor()), TypeConverter: applyconfigurations.NewTypeConverter(scheme),
		EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry(), Authorizer: rbac{}, Admit: admit{},
		MinRequestTimeout: watchTimeout, MaxRequestBodyBytes: maxBody,
	}
}

// serveDiscovery serves what there is: /api, /apis and /apis/<group>. It returns the plain handlers, such as that of /version.
func serveDiscovery(container *restful.Container, all []schema.GroupVersion) http.Handler {
	container.Add(discovery.NewLegacyRootAPIHandler(addresses{}, codecs, corePrefix).WebService())
	groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, gv := range all {
		if gv.Group == "" {
			continue
		}
		served := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		group := metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{served}, PreferredVersion: served}
		groups.Groups = append(groups.Groups, group)
		container.Add(discovery.NewAPIGroupHandler(codecs, group).WebService())
	}
	plain := http.NewServeMux()
	plain.HandleFunc("/version", serveVersion)
	for _, path := range []string{groupsPrefix, groupsPrefix + "/{$}"} {
		plain.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, groups) })
	}
	for _, path := range []string{"/readyz", "/livez", "/healthz"} {
		plain.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	}
	return plain
}
