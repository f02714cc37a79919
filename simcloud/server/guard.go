package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// The headers of all answers: a browser shows none of them in a frame, takes none for another type than its own, and runs nothing
// that is in one. Pages with code of their own replace the policy.
var (
	noSniff  = []string{"nosniff"}
	noPolicy = []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
)

// guarded serves what next does, with the headers of all answers, to requests for a host that is the cloud's.
func (s *server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header["X-Content-Type-Options"], header["Content-Security-Policy"] = noSniff, noPolicy
		if s.Host != nil {
			if err := s.Host(r); err != nil {
				header.Set("Connection", "close") // its body is not read
				s.codec.WriteProblem(w, edge.Problem{Err: err, Status: http.StatusMisdirectedRequest})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// policyOf is the policy of a page with code and styles of its own: these, by their hashes, and nothing else.
func policyOf(page []byte) string {
	policy := []string{"default-src 'none'", "img-src data:"}
	for _, kind := range []string{"style", "script"} {
		policy = append(policy, kind+"-src "+strings.Join(hashesOf(page, kind), " "))
	}
	return strings.Join(append(policy, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"), "; ")
}

// hashesOf are the hashes of the elements of a page, as a policy has them.
func hashesOf(page []byte, element string) []string {
	var hashes []string
	for {
		_, rest, found := bytes.Cut(page, []byte("<"+element+">"))
		text, after, ended := bytes.Cut(rest, []byte("</"+element+">"))
		if !found || !ended {
			return hashes
		}
		sum := sha256.Sum256(text)
		hashes, page = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'"), after
	}
}
