package service

import (
	"context"
	"net/http"
	"strings"
)

// WebIdentity is the action whose requests have no signature: their token is a parameter.
const WebIdentity = "AssumeRoleWithWebIdentity"

type tokenKey struct{}

// WithToken returns a request whose token is that, wherever it was in it.
func WithToken(r *http.Request, token string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), tokenKey{}, token))
}

// TokenOf returns the token of a request: the session token, or else the id of the access key. Signatures are
// not checked: the cloud does not keep the secrets that they are made with.
func TokenOf(r *http.Request) (string, error) {
	if token, ok := r.Context().Value(tokenKey{}).(string); ok {
		return token, nil
	}
	if token := r.Header.Get("X-Amz-Security-Token"); token != "" {
		return token, nil
	}
	if key := ScopeOf(r)[0]; key != "" {
		return key, nil
	}
	return "", NoToken("The request must have a token of the cloud as X-Amz-Security-Token, or as the access key of its signature")
}

// ScopeOf are the parts of the credential in a signature: key, date, region, service and an end.
func ScopeOf(r *http.Request) []string {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	credential, _, _ = strings.Cut(credential, ",")
	return strings.Split(credential, "/")
}

// Token is the token of the cloud that the caller has sent.
func (c Call) Token() string {
	token, _ := TokenOf(c.request) // the edge has read it
	return token
}
