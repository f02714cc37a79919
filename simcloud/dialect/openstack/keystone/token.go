package keystone

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

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
	// Project, Roles and Catalog are not those of a session without a scope.
	Project *project `json:"project,omitempty"`
	Roles   []named  `json:"roles,omitempty"`
	Catalog []entry  `json:"catalog,omitempty"`
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
			return nil, nil, Refused()
		}
		own, err := c.Cloud.GetProject(c.Ctx(), caller.Project)
		if err != nil {
			return nil, nil, err
		}
		if !in.isScopedTo(own) {
			return nil, nil, Refused()
		}
		made, token, err := c.NewSession(in.isUnscoped())
		if err != nil {
			return nil, nil, err
		}
		shown, err := sessionOf(c, all, in.Auth.Identity.Methods, own, made)
		return service.Answer{
			Header: http.Header{"X-Subject-Token": {token}, "Vary": {"X-Auth-Token"}},
			Body:   map[string]any{"token": shown},
		}, nil, err
	})
}

// getToken shows the caller its own session.
func getToken(all []*service.Service) service.Handler {
	return service.Read(func(c service.Call) (any, error) {
		asked, err := c.Subject()
		if err != nil {
			return nil, err
		}
		own, err := c.Cloud.GetProject(c.Ctx(), simcloud.CallerFrom(c.Ctx()).Project)
		if err != nil {
			return nil, err
		}
		shown, err := sessionOf(c, all, []string{"token"}, own, asked)
		return map[string]any{"token": shown}, err
	})
}

// Refused is the error for a credential that is not good.
func Refused() error {
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
	if a.isUnscoped() {
		return true
	}
	parts, err := a.scope()
	if err != nil || len(parts) == 0 {
		return err == nil
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

// scope are the parts of the scope that a request asks for; none is that of the caller's project.
func (a authentication) scope() (parts map[string]json.RawMessage, err error) {
	if len(a.Auth.Scope) > 0 {
		err = json.Unmarshal(a.Auth.Scope, &parts)
	}
	return parts, err
}

// isUnscoped reports whether a request asks for a session of no project: by the text "unscoped", or an object that has it.
func (a authentication) isUnscoped() bool {
	var text string
	if json.Unmarshal(a.Auth.Scope, &text) == nil {
		return text == "unscoped"
	}
	parts, err := a.scope()
	_, there := parts["unscoped"]
	return err == nil && there
}

// sessionOf is a session of the caller as it is shown.
func sessionOf(c service.Call, all []*service.Service, methods []string, own simcloud.Project, made service.Session) (session, error) {
	caller := simcloud.CallerFrom(c.Ctx())
	regions, err := service.All(c, c.Cloud.ListRegions)
	if err != nil {
		return session{}, err
	}
	role := map[simcloud.Role]string{simcloud.RoleAdmin: "admin", simcloud.RoleWriter: "member", simcloud.RoleReader: "reader"}[caller.Role]
	shown := session{
		Methods: methods, Expires: made.End.UTC().Format(timeFormat), Issued: c.Time().UTC().Format(timeFormat), AuditIDs: []string{},
		User: user{named: named{strings.ReplaceAll(service.NamedUUID("user", string(caller.Token)), "-", ""), string(caller.Token)}, Domain: domain},
	}
	if made.Unscoped {
		return shown, nil
	}
	shown.Project = &project{named{service.ProjectUUID(own.ID), own.Name}, domain}
	shown.Roles = []named{{strings.ReplaceAll(service.NamedUUID("role", role), "-", ""), role}}
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
