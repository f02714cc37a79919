package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Call performs the operation of that name and returns its answer as it came.
//
// Arguments that the operation's path has as {name} are ids, such as "id" and
// "listener". The other ones are query parameters of a read, and fields of the
// body of a change. An unknown operation, a missing id and an unknown argument
// are Invalid, as is a stream: read it with WatchEvents or WatchJournal.
func (c *Client) Call(ctx context.Context, operation string, args map[string]any) (json.RawMessage, error) {
	if strings.HasPrefix(operation, "Watch") {
		return nil, simcloud.Errorf(simcloud.Invalid, "", "%s is a stream and cannot be called by name", operation)
	}
	endpoint, ok := simcloud.EndpointOf(operation)
	if !ok {
		return nil, simcloud.Errorf(simcloud.Invalid, "", "unknown operation %q", operation)
	}
	ids, rest, err := pathArguments(endpoint, args)
	if err != nil {
		return nil, err
	}
	req, err := newRequest(operation, ids)
	if err != nil {
		return nil, err
	}
	if err := req.setArguments(rest); err != nil {
		return nil, err
	}
	var answer json.RawMessage
	err = c.do(ctx, req, func(body []byte) error {
		answer = body
		return checkAnswer(endpoint, body)
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// pathArguments takes the ids out of the arguments.
func pathArguments(endpoint simcloud.Endpoint, args map[string]any) ([]simcloud.ID, map[string]any, error) {
	rest := maps.Clone(args)
	var ids []simcloud.ID
	for _, part := range strings.Split(endpoint.Path, "/") {
		name, ok := strings.CutPrefix(part, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		value, given := args[name]
		id, err := text(value)
		switch {
		case !given:
			return nil, nil, invalidArgument(endpoint.Operation, name, "must not be empty: an id is required")
		case err != nil || id == "":
			return nil, nil, invalidArgument(endpoint.Operation, name, "an id is needed, not %v", value)
		}
		ids = append(ids, simcloud.ID(id))
		delete(rest, name)
	}
	return ids, rest, nil
}

// setArguments puts what is no id where the operation has it.
func (r *request) setArguments(args map[string]any) error {
	if len(args) == 0 {
		return nil
	}
	if r.endpoint.Method != http.MethodGet {
		return r.setBody(args)
	}
	r.query = url.Values{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value, err := text(args[name])
		if err != nil {
			return invalidArgument(r.endpoint.Operation, name, "%v", err)
		}
		r.query.Set(name, value)
	}
	return nil
}

// text is how a value of YAML or JSON stands in a URL.
func text(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case int, int64, uint64, simcloud.ID, json.Number:
		return fmt.Sprint(v), nil
	default:
		return "", fmt.Errorf("%v is not a text, a number or a truth value", value)
	}
}

func invalidArgument(operation, name, format string, args ...any) error {
	return &simcloud.Error{
		Code: simcloud.Invalid, Message: operation + ": invalid argument",
		Fields: []simcloud.FieldError{{Field: name, Detail: fmt.Sprintf(format, args...)}},
	}
}

// checkAnswer reports what an answer of that operation would have that this body has not.
func checkAnswer(endpoint simcloud.Endpoint, body []byte) error {
	var answer *struct {
		ID       simcloud.ID       `json:"id"`
		Items    []json.RawMessage `json:"items"`
		Resource json.RawMessage   `json:"resource"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	switch {
	case answer == nil:
		return errors.New("it is null")
	case strings.HasPrefix(endpoint.Operation, "List") && answer.Items == nil:
		return errors.New("a list without items")
	case strings.HasPrefix(endpoint.Operation, "List"), strings.HasPrefix(endpoint.Path, "/_sim/"):
		return nil
	case answer.ID == "" && !hasID(answer.Resource):
		return errors.New("it has no id")
	}
	return nil
}

func hasID(resource json.RawMessage) bool {
	var meta simcloud.Meta
	return len(resource) > 0 && json.Unmarshal(resource, &meta) == nil && meta.ID != ""
}
