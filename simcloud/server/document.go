package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// Paths of what describes the interface.
const (
	documentPath = "/openapi.json"
	docsPath     = "/docs"
)

// description is the interface as machines and as people read it.
type description struct {
	document, page []byte
	policy         string // of the page
}

// describe makes the description of all that the server answers.
func (s *server) describe() (description, error) {
	doc, err := openapi.New(openapi.Config{
		Endpoints: simcloud.Endpoints(), Shapes: s.shapes(), Problems: problems(), Problem: reflect.TypeFor[problem](),
	})
	if err != nil {
		return description{}, err
	}
	var page bytes.Buffer
	if err := doc.WriteHTML(&page); err != nil {
		return description{}, err
	}
	raw, err := json.Marshal(doc)
	return description{raw, page.Bytes(), policyOf(page.Bytes())}, err
}

// shapes has the shape of every operation.
func (s *server) shapes() map[string]openapi.Shape {
	all := map[string]openapi.Shape{}
	for name, op := range s.handlers() {
		all[name] = op.shape
	}
	for name, stream := range s.streams() {
		all[name] = stream.shape
	}
	return all
}

// problems is how every code looks in HTTP.
func problems() []openapi.Problem {
	var all []openapi.Problem
	for _, code := range simcloud.Codes() {
		s := specOf(code)
		all = append(all, openapi.Problem{Code: code, Status: s.status, Title: s.title})
	}
	return all
}

// described serves one side of the description, which is made at the first request for it.
func (s *server) described(media string, side func(description) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d, err := s.description()
		if err != nil { // a defect; a test makes the description
			http.Error(w, "describe the interface", http.StatusInternalServerError)
			s.Log.ErrorContext(r.Context(), "describe the interface", "error", err)
			return
		}
		body := side(d)
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // a client that has gone is not our concern
	}
}

func (s *server) serveDocument() http.HandlerFunc {
	return s.described("application/json", func(d description) []byte { return d.document })
}

func (s *server) serveDocs() http.HandlerFunc {
	serve := s.described("text/html; charset=utf-8", func(d description) []byte { return d.page })
	return func(w http.ResponseWriter, r *http.Request) {
		if d, err := s.description(); err == nil {
			w.Header().Set("Content-Security-Policy", d.policy)
		}
		serve(w, r)
	}
}
