package kubeapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/store"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// cacheOf returns the watch cache of a user: each has one, so that one user alone can see what is old.
func (s *state) cacheOf(user string) *store.Cache {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.caches[user]
	if c == nil {
		c = store.NewCache(s.db)
		s.caches[user] = c
	}
	return c
}

// cached lets requests be answered from the watch cache of their user.
func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := request.UserFrom(r.Context())
		info, _ := request.RequestInfoFrom(r.Context())
		c := stateOf(r.Context()).cacheOf(who.GetName())
		group := schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}
		if info.Verb == "watch" && r.URL.Query().Has("sendInitialEvents") && !c.WatchList(group.String()) {
			version := schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
			responsewriters.ErrorNegotiated(noWatchList(), codecs, version, w, r)
			return
		}
		next.ServeHTTP(w, r.WithContext(store.WithCache(r.Context(), c)))
	})
}

// noWatchList refuses a watch as an API server does whose feature gate WatchList is off. Clients list and watch then.
func noWatchList() error {
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", field.ErrorList{
		field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"),
	})
}

// Lag lets a user see what is old. It answers Conflict when that user does so already.
func (s *Server) Lag(user string, lag control.Lag) error {
	tables, err := tablesOf(lag.Resources)
	if err != nil {
		return err
	}
	how := store.Lag{Revision: s.state.db.Revision(), Refills: lag.Kind == control.Unobserved, OtherServer: lag.Kind == control.TimeTravel}
	if lag.Kind == control.TimeTravel {
		if lag.To.After(time.Now()) {
			return simcloud.Errorf(simcloud.Invalid, "lag", "invalid time %s: must not be in the future", lag.To.Format(time.TimeOnly))
		}
		how.Revision = s.state.db.RevisionAt(lag.To)
	}
	return s.state.cacheOf(user).Lag(tables, how, lag.For)
}

// CatchUp lets a user see the present.
func (s *Server) CatchUp(user string) { s.state.cacheOf(user).CatchUp() }

// tablesOf returns the tables of resources by their names, such as nodes; "*" is all.
func tablesOf(names []string) ([]string, error) {
	var tables, have []string
	known := map[string]string{}
	for _, r := range resources() {
		known[r.name] = r.table()
		have = append(have, r.name)
	}
	slices.Sort(have)
	for _, name := range names {
		switch table, there := known[name]; {
		case name == "*":
			for _, name := range have {
				tables = append(tables, known[name])
			}
		case there:
			tables = append(tables, table)
		default:
			return nil, simcloud.Errorf(simcloud.NotFound, "resource/"+name, "resource %q not found (have %s)", name, strings.Join(have, ", "))
		}
	}
	slices.Sort(tables)
	return slices.Compact(tables), nil
}
