package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	strict "sigs.k8s.io/json"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/strictjson"
)

// decode reads the one JSON value that the body is. Names of fields are taken
// by the letter, unknown and repeated ones are Invalid, and so is anything after the value.
func decode[T any](r *http.Request) (T, error) {
	var v T
	body, err := readBody(r)
	if err != nil {
		return v, err
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return v, badBody(http.StatusBadRequest, "a JSON object is needed")
	}
	wrong, err := strict.UnmarshalStrict(body, &v)
	if err != nil {
		return v, decodeError(err)
	}
	return v, simcloud.InvalidFields("", strictjson.Fields(wrong, "body"))
}

// readBody reads the body. It refuses more than edge.MaxBody bytes, and text that is not Unicode.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, edge.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, badBody(http.StatusRequestEntityTooLarge, fmt.Sprintf("it has more than %d bytes", large.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded) && edge.Closing(r.Context()) != nil:
		return nil, edge.Closing(r.Context())
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, badBody(http.StatusRequestTimeout, "it did not come in time")
	case err != nil:
		return nil, edge.StatusError{Status: http.StatusBadRequest, Err: simcloud.Errorf(simcloud.Invalid, "", "read the body: %w", err)}
	}
	if err := strictjson.Text(body); err != nil {
		return nil, badBody(http.StatusBadRequest, err.Error())
	}
	return body, nil
}

// badBody is the error for a body as a whole.
func badBody(status int, detail string) error {
	return edge.StatusError{Status: status, Err: simcloud.InvalidFields("", []simcloud.FieldError{{Field: "body", Detail: detail}})}
}

// decodeError says what is wrong with JSON that does not fit.
func decodeError(err error) error {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) && mistyped.Field != "" {
		return invalidField(mistyped.Field, "%s is invalid here: must be %s", mistyped.Value, mistyped.Type)
	}
	if syntax, offset := strict.SyntaxErrorOffset(err); syntax {
		return badBody(http.StatusBadRequest, fmt.Sprintf("it is not JSON: %v (byte %d)", err, offset))
	}
	return badBody(http.StatusUnprocessableEntity, strings.TrimPrefix(err.Error(), "json: "))
}

func invalidField(field, format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: field, Detail: fmt.Sprintf(format, args...)}})
}

// refuseBody returns an error for a request that has a body.
func refuseBody(r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	var nothing struct{}
	wrong, err := strict.UnmarshalStrict(body, &nothing)
	if err != nil {
		return decodeError(err)
	}
	return simcloud.InvalidFields("", strictjson.Fields(wrong, "body"))
}

// newline ends an answer, so that it can be read on a terminal.
var newline = []byte("\n")

// writeJSON sends a value. Its length is known beforehand, so that a client sees when the answer was cut.
func writeJSON(w http.ResponseWriter, status int, media string, v any) {
	body, err := marshal(v)
	if err != nil { // nothing of the model fails: it would be a defect
		http.Error(w, "encode the answer", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(body)+len(newline)))
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is not our concern
	_, _ = w.Write(newline)
}
