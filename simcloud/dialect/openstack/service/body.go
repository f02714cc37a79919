package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

// decode reads the body, which is one JSON object.
func decode[T any](c Call) (T, error) {
	var v T
	body, err := edge.Body(c.request)
	if err != nil {
		return v, Unreadable(c.request, err)
	}
	if err := strictjson.Text(body); err != nil {
		return v, simcloud.Errorf(simcloud.Invalid, "", "The body is not JSON: %v", err)
	}
	unknown, err := strict.UnmarshalStrict(body, &v)
	if err != nil {
		return v, undecodable(err)
	}
	dialect.Decoded(c.Ctx(), v)
	return v, simcloud.InvalidFields("", strictjson.Fields(unknown, "body"))
}

// Unreadable is the error for a body that did not arrive whole.
func Unreadable(r *http.Request, err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, simcloud.RateLimited): // so much is read of those who are not known
		return err
	case errors.As(err, &large):
		return edge.StatusError{
			Status: http.StatusRequestEntityTooLarge,
			Err:    simcloud.Errorf(simcloud.Invalid, "", "The body has more than %d bytes", large.Limit),
		}
	case errors.Is(err, os.ErrDeadlineExceeded) && edge.Closing(r.Context()) != nil:
		return edge.Closing(r.Context())
	default:
		return simcloud.Errorf(simcloud.Invalid, "", "The body did not arrive")
	}
}

// undecodable is the error for a body that is no JSON, or has a value of another type.
func undecodable(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return Wrong(attributePath(mistyped.Field), "%s is not allowed: must be %s", mistyped.Value, mistyped.Type)
	case errors.As(err, &mistyped):
		return simcloud.Errorf(simcloud.Invalid, "", "The body is a JSON %s: must be an object", mistyped.Value)
	default:
		return simcloud.Errorf(simcloud.Invalid, "", "The body is not JSON: %v", err)
	}
}

// attributePath is the path of an attribute without the names of types that have it embedded: those of OpenStack's attributes
// have no capitals.
func attributePath(field string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(field, "."), func(part string) bool { return strings.ToLower(part) != part }), ".")
}

// Wrong is the error for one attribute of a request.
func Wrong(field, format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: field, Detail: fmt.Sprintf(format, args...)}})
}
