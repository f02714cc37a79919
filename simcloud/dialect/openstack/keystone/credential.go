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
	switch identity := in.Auth.Identity; {
	case identity.Application != nil:
		return identity.Application.Secret, "", nil
	case identity.Password != nil:
		return identity.Password.User.Password, "", nil
	case identity.Token != nil:
		return "", identity.Token.ID, nil
	}
	return "", "", simcloud.Errorf(simcloud.Invalid, "", "auth.identity has neither application_credential nor password nor token: simcloud knows these methods")
}
