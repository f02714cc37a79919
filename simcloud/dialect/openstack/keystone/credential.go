package keystone

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// authentication is the body of a request for a session.
type authentication struct {
	Auth struct {
		Identity struct {
			Methods     []string `json:"methods"`
			Password    *byUser  `json:"password"`
			Application *byID    `json:"application_credential"`
			Token       *struct {
				ID string `json:"id"`
			} `json:"token"`
		} `json:"identity"`
		// Scope is an object, or the text "unscoped".
		Scope json.RawMessage `json:"scope"`
	} `json:"auth"`
}

// byUser is a name or an id of a user with its password.
type byUser struct {
	User struct {
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		Password string   `json:"password"`
		Domain   *subject `json:"domain"`
	} `json:"user"`
}

// byID is an application credential.
type byID struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Secret string   `json:"secret"`
	User   *subject `json:"user"`
}

// subject is a project or a domain, named by its id or its name.
type subject struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Domain *subject `json:"domain"`
}

// IsAuthentication reports whether a request asks for a session: its credential is in its body.
func IsAuthentication(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.TrimSuffix(r.URL.Path, "/") == service.Root+"/identity"+tokensPath
}

// Credential is the credential in the body of a request for a session: the password of a user, the secret of an application
// credential, or the token of another session.
func Credential(r *http.Request) (secret, session string, err error) {
	body, err := edge.Body(r)
	if err != nil {
		return "", "", service.Unreadable(r, err)
	}
	var in authentication
	if err := json.Unmarshal(body, &in); err != nil {
		return "", "", simcloud.Errorf(simcloud.Invalid, "", "The body is not a JSON object with auth: %v", err)
	}
	return in.credential()
}

// credential is what the methods of a request have: each that it names has to be there, and those of a secret have the same one.
func (a authentication) credential() (secret, session string, err error) {
	identity := a.Auth.Identity
	if identity.Methods == nil {
		return "", "", expecting("methods")
	}
	if len(identity.Methods) == 0 {
		return "", "", Refused()
	}
	for _, method := range identity.Methods {
		var has string
		switch {
		case method == "password" && identity.Password != nil:
			has = identity.Password.User.Password
		case method == "application_credential" && identity.Application != nil:
			has = identity.Application.Secret
		case method == "token" && identity.Token != nil:
			session = identity.Token.ID
			continue
		case method == "password" || method == "application_credential" || method == "token":
			return "", "", expecting(method)
		default:
			return "", "", simcloud.Errorf(simcloud.Unauthenticated, "", "Attempted to authenticate with an unsupported method: simcloud knows password, application_credential and token")
		}
		if secret != "" && secret != has {
			return "", "", Refused()
		}
		secret = has
	}
	return secret, session, nil
}

// expecting is the error for what a request has to have.
func expecting(what string) error {
	return simcloud.Errorf(simcloud.Invalid, "", "Expecting to find %s in identity. The server could not comply with the request since it is either malformed or otherwise incorrect.", what)
}
