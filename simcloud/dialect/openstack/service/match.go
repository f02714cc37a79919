package service

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
)

// Match returns the operation of a request; path is the part of its path that is below the Mount of the service.
func (s *Service) Match(dialectName string, backend Backend, r *http.Request, path string) edge.Operation {
	path = strings.TrimSuffix(path, "/")
	var allowed []string
	for _, o := range slices.Concat(s.Operations, s.Unsupported) {
		id, part, ok := fits(o.Path, path)
		if !ok {
			continue
		}
		if o.Method != r.Method {
			allowed = append(allowed, o.Method)
			continue
		}
		if o.Handle == nil {
			return s.refusal(dialectName, o, func() error { return unsupported(s, o) })
		}
		served := s.serve(dialectName, backend, o, id, part)
		if o.Within != nil {
			served.Within = o.Within
		}
		return served
	}
	unknown := Operation{Name: edge.RequestName(r)}
	if len(allowed) == 0 {
		return s.refusal(dialectName, unknown, func() error {
			return Refuse(simcloud.Unimplemented, Code{Status: http.StatusNotFound}, "The service has no path %s", cmp.Or(path, "/"))
		})
	}
	refused := s.refusal(dialectName, unknown, func() error {
		return Refuse(simcloud.Unimplemented, Code{Status: http.StatusMethodNotAllowed}, "The path does not have the method %s", r.Method)
	})
	refused.Header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	return refused
}

// fits reports whether a path has the shape of an operation's, and returns the id and the part in it.
func fits(shape, path string) (id, part string, ok bool) {
	wants, parts := strings.Split(strings.TrimSuffix(shape, "/"), "/"), strings.Split(path, "/")
	if len(wants) != len(parts) {
		return "", "", false
	}
	for i, want := range wants {
		switch {
		case want == "{id}" && parts[i] != "":
			id = parts[i]
		case want == "{part}" && parts[i] != "":
			part = parts[i]
		case want != parts[i]:
			return "", "", false
		}
	}
	return id, part, true
}

func unsupported(s *Service, o Operation) error {
	return Refuse(simcloud.Unimplemented, Code{Status: http.StatusNotImplemented, Type: "NotImplemented"}, "simcloud does not simulate %s", s.OperationName(o.Name))
}

// missing is the error for what a path names and the cloud does not have.
func (s *Service) missing(o Operation, uuid string) error {
	return s.Missing(endpoint(o).Kind(), o.What, uuid)
}

// Missing is the error for something that the cloud does not have, of a kind that OpenStack calls what.
func (s *Service) Missing(kind simcloud.Kind, what, uuid string) error {
	code := s.Codes.General[simcloud.NotFound]
	code.Type = cmp.Or(s.Codes.Missing[kind], code.Type)
	const longest = 80
	if len(uuid) > longest {
		uuid = strings.ToValidUTF8(uuid[:longest], "")
	}
	return Refuse(simcloud.NotFound, code, s.NotFoundFormat, what, uuid)
}

func asError(err error) *simcloud.Error {
	var e *simcloud.Error
	errors.As(err, &e)
	return e
}

func asCode(e *simcloud.Error, code *Code) bool { return errors.As(e.Err, code) }
