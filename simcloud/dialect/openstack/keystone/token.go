package keystone

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// session is a session as its holder is shown it.
type session struct {
	Methods  []string `json:"methods"`
	Expires  string   `json:"expires_at"`
	Issued   string   `json:"issued_at"`
	AuditIDs []string `json:"audit_ids"`
	IsDomain bool     `json:"is_domain"`
	User     user     `json:"user"`
	Project  project  `json:"project"`
	Roles    []named  `json:"roles"`
	Catalog  []entry  `json:"catalog"`
}

type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type user struct {
	named
	Domain          named   `json:"domain"`
	PasswordExpires *string `json:"password_expires_at"`
}

type project struct {
	named
	Domain named `json:"domain"`
}

// entry is a service in the catalog.
type entry struct {
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Name      string     `json:"name"`
	Endpoints []endpoint `json:"endpoints"`
}

type endpoint struct {
	ID        string `json:"id"`
	Interface string `json:"interface"`
	Region    string `json:"region"`
	RegionID  string `json:"region_id"`
	URL       string `json:"url"`
}

// domain is the one that there is.
var domain = named{"default", "Default"}

// timeFormat is how Keystone writes times.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// anyone is the name that each credential may give as that of its user, and as the id of its application
// credential: the cloud knows who calls by the secret.
const anyone = "simcloud"

// createToken opens a session for the caller, whose credential was in the body.
func createToken(all []*service.Service) service.Handler {
	return service.Write(func(c service.Call, in authentication) (any, *simcloud.Meta, error) {
		caller := simcloud.CallerFrom(c.Ctx())
		if !in.isOf(caller.Token) {
			return nil, nil, refused()
		}
		own, err := c.Cloud.GetProject(c.Ctx(), caller.Project)
		if err != nil {
			return nil, nil, err
		}
		if !in.isScopedTo(own) {
			return nil, nil, refused()
		}
		end, err := c.SessionEnd()
		if err != nil {
			return nil, nil, err
		}
		shown, err := sessionOf(c, all, in.Auth.Identity.Methods, own, end)
		return service.Answer{
			Header: http.Header{"X-Subject-Token": {c.NewSession(end)}, "Vary": {"X-Auth-Token"}},
			Body:   map[string]any{"token": shown},
		}, nil, err
	})
}

// getToken shows the caller its own session.
func getToken(all []*service.Service) service.Handler {
	return service.Read(func(c service.Call) (any, error) {
		end, err := c.SubjectEnd()
		if err != nil {
			return nil, err
		}
		own, err := c.Cloud.GetProject(c.Ctx(), simcloud.CallerFrom(c.Ctx()).Project)
		if err != nil {
			return nil, err
		}
		shown, err := sessionOf(c, all, []string{"token"}, own, end)
		return map[string]any{"token": shown}, err
	})
}

func refused() error {
	return simcloud.Errorf(simcloud.Unauthenticated, "", "The request you have made requires authentication.")
}

// isOf reports whether the user or the application credential that is named belongs to a token.
func (a authentication) isOf(token simcloud.ID) bool {
	switch identity := a.Auth.Identity; {
	case identity.Application != nil:
		own := identity.Application
		return named{own.ID, own.Name}.isOf(token) && (own.User == nil || own.User.isOf(token))
	case identity.Password != nil:
		user := identity.Password.User
		return subject{ID: user.ID, Name: user.Name, Domain: user.Domain}.isOf(token)
	default:
		return true
	}
}

// isOf reports whether an id, or without it a name, is one that belongs to a token.
func (n named) isOf(token simcloud.ID) bool {
	return slices.Contains([]string{anyone, string(token), service.NamedUUID("user", string(token))}, cmp.Or(n.ID, n.Name))
}

// isOf reports whether a user of a domain belongs to a token.
func (s subject) isOf(token simcloud.ID) bool {
	return named{s.ID, s.Name}.isOf(token) && (s.Domain == nil || s.Domain.isDomain())
}

// isDomain reports whether it is the domain that there is. The case of its name does not matter, as in Keystone.
func (s subject) isDomain() bool {
	if s.ID != "" {
		return s.ID == domain.ID
	}
	return strings.EqualFold(s.Name, domain.Name)
}

// isScopedTo reports whether a request says nothing of a project, or names this one.
func (a authentication) isScopedTo(own simcloud.Project) bool {
	if len(a.Auth.Scope) == 0 {
		return true
	}
	var scope struct {
		Project *subject `json:"project"`
	}
	if json.Unmarshal(a.Auth.Scope, &scope) != nil || scope.Project == nil {
		return false
	}
	switch p := *scope.Project; {
	case p.ID != "":
		return p.ID == service.ProjectUUID(own.ID) || p.ID == string(own.ID)
	default:
		return p.Name == own.Name
	}
}

// sessionOf is the session of the caller that ends at a time.
func sessionOf(c service.Call, all []*service.Service, methods []string, own simcloud.Project, end time.Time) (session, error) {
	caller := simcloud.CallerFrom(c.Ctx())
	regions, err := service.All(c, c.Cloud.ListRegions)
	if err != nil {
		return session{}, err
	}
	role := map[simcloud.Role]string{simcloud.RoleAdmin: "admin", simcloud.RoleWriter: "member", simcloud.RoleReader: "reader"}[caller.Role]
	shown := session{
		Methods: methods, Expires: end.UTC().Format(timeFormat), Issued: c.Time().UTC().Format(timeFormat), AuditIDs: []string{},
		User:    user{named: named{strings.ReplaceAll(service.NamedUUID("user", string(caller.Token)), "-", ""), string(caller.Token)}, Domain: domain},
		Project: project{named{service.ProjectUUID(own.ID), own.Name}, domain},
		Roles:   []named{{strings.ReplaceAll(service.NamedUUID("role", role), "-", ""), role}},
	}
	for _, s := range all {
		e := entry{ID: strings.ReplaceAll(service.NamedUUID("service", s.Name), "-", ""), Type: s.Type, Name: s.Name}
		for _, region := range regions {
			e.Endpoints = append(e.Endpoints, endpoint{
				ID:        strings.ReplaceAll(service.NamedUUID("endpoint", s.Name+"/"+string(region.ID)), "-", ""),
				Interface: "public", Region: region.Name, RegionID: string(region.ID), URL: c.Endpoint() + "/" + s.Mount + s.Path,
			})
		}
		shown.Catalog = append(shown.Catalog, e)
	}
	return shown, nil
}
