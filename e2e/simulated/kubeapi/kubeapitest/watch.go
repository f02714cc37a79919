package kubeapitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
)

// watch is a watch that is open.
type watch struct {
	cancel context.CancelFunc
	body   io.ReadCloser
	next   func() (any, error) // the next event
}

func (w *watch) close() {
	w.cancel()
	_ = w.body.Close()
}

// watch opens a watch, which ends with the case. A refusal is the answer.
func (s *session) watch(step Step) (Answer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	req, err := s.newRequest(ctx, http.MethodGet, step.Watch, step.request)
	if err != nil {
		cancel()
		return Answer{}, err
	}
	resp, err := s.server.client(step.Token).Do(req) //nolint:bodyclose // it is read, and closed, until the case ends
	if err != nil {
		cancel()
		return Answer{}, err
	}
	if resp.StatusCode != http.StatusOK {
		defer cancel()
		return refusal(resp)
	}
	s.watches[step.As] = &watch{cancel: cancel, body: resp.Body, next: eventsOf(resp)}
	return Answer{Status: resp.StatusCode, Header: headers(resp.Header)}, nil
}

// eventsOf returns what reads the events of a watch in its media type.
func eventsOf(resp *http.Response) func() (any, error) {
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media == runtime.ContentTypeProtobuf {
		return protobufEvents(resp.Body)
	}
	events := json.NewDecoder(resp.Body)
	return func() (event any, err error) { return event, events.Decode(&event) }
}

// refusal is the answer of a watch that was not opened.
func refusal(resp *http.Response) (Answer, error) {
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	return newAnswer(resp, raw)
}

// What an events step reads up to, beside a number of events.
const (
	untilBookmark = "bookmark"
	untilEnd      = "end"
)

// events reads from a watch as far as a step says.
func (s *session) events(ctx context.Context, step Step) (Answer, error) {
	w, ok := s.watches[step.Events]
	if !ok {
		return Answer{}, fmt.Errorf("watch %q is not open", step.Events)
	}
	defer context.AfterFunc(ctx, w.cancel)()
	var a Answer
	for !step.enough(a.Events) {
		event, err := w.next()
		switch {
		case errors.Is(err, io.EOF) && step.Until == untilEnd:
			return a, nil
		case ctx.Err() != nil:
			return a, fmt.Errorf("timed out after %s waiting for events", stepTimeout)
		case err != nil:
			return a, fmt.Errorf("read the watch: %w", err)
		}
		a.Events = append(a.Events, event)
	}
	return a, nil
}

// enough reports whether a step has read what it wants.
func (r reading) enough(events []any) bool {
	switch r.Until {
	case untilEnd:
		return false
	case untilBookmark:
		return len(events) > 0 && isBookmark(events[len(events)-1])
	}
	return len(events) >= r.Count
}

func isBookmark(event any) bool {
	kind, _ := at(event, "type")
	return kind == "BOOKMARK"
}
