package server

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"strconv"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/edge"
	"github.com/simcloud-dev/simcloud/simcloud/openapi"
)

// streaming is how one stream is answered, and what it looks like on the wire.
type streaming struct {
	open  edge.Stream
	shape openapi.Shape
}

// streamOf is a stream of messages that are Ts.
func streamOf[T any](open edge.Stream, query ...openapi.Parameter) streaming {
	return streaming{open, openapi.Shape{Response: reflect.TypeFor[T](), Status: http.StatusOK, Query: query, Stream: true}}
}

// encodedEvents is a cloud that has the JSON of its events, once for all streams.
type encodedEvents interface {
	WatchEncodedEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.EncodedEvent, error]
	WatchAllEncodedEvents(ctx context.Context, after uint64) iter.Seq2[simcloud.EncodedEvent, error]
}

// watchEvents is the stream of changes.
func (s *server) watchEvents(r *http.Request) (iter.Seq2[edge.Message, error], error) {
	after, err := resume(r, readQuery(r))
	if err != nil {
		return nil, err
	}
	if cloud, ok := s.API.(encodedEvents); ok {
		return messages(cloud.WatchEncodedEvents(r.Context(), after), encodedMessage), nil
	}
	return messages(s.API.WatchEvents(r.Context(), after), eventMessage), nil
}

// watchAllEvents is the stream of changes in all projects.
func (s *server) watchAllEvents(r *http.Request) (iter.Seq2[edge.Message, error], error) {
	after, err := resume(r, readQuery(r))
	if err != nil {
		return nil, err
	}
	if cloud, ok := s.Control.(encodedEvents); ok {
		return messages(cloud.WatchAllEncodedEvents(r.Context(), after), encodedMessage), nil
	}
	return messages(s.Control.WatchAllEvents(r.Context(), after), eventMessage), nil
}

func eventMessage(e simcloud.Event) (edge.Message, error) { return jsonMessage(e.Revision, e) }

func encodedMessage(e simcloud.EncodedEvent) (edge.Message, error) {
	return edge.Message{ID: e.Revision, Data: e.JSON}, nil
}

func entryMessage(e simcloud.JournalEntry) (edge.Message, error) { return jsonMessage(e.Seq, e) }

func jsonMessage(id uint64, v any) (edge.Message, error) {
	data, err := json.Marshal(v)
	return edge.Message{ID: id, Data: data}, err
}

// watchJournal is the stream of calls.
func (s *server) watchJournal(r *http.Request) (iter.Seq2[edge.Message, error], error) {
	filter, err := journalFilter(r)
	if err != nil {
		return nil, err
	}
	if last, err := lastEventID(r); err != nil {
		return nil, err
	} else if last > 0 {
		filter.After = last
	}
	return messages(s.Journal.WatchJournal(r.Context(), filter), entryMessage), nil
}

// resume is where the client wants to go on: a browser repeats the last id that it has seen.
func resume(r *http.Request, q *query) (uint64, error) {
	after := q.number("after")
	if err := q.err(); err != nil {
		return 0, err
	}
	last, err := lastEventID(r)
	return max(after, last), err
}

func lastEventID(r *http.Request) (uint64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, invalidField("Last-Event-ID", "%q is not a number", text)
	}
	return n, nil
}

// messages is a sequence as messages. A value that cannot be one, which nothing of the model is, ends it.
func messages[T any](seq iter.Seq2[T, error], of func(T) (edge.Message, error)) iter.Seq2[edge.Message, error] {
	return func(yield func(edge.Message, error) bool) {
		for v, err := range seq {
			var m edge.Message
			if err == nil {
				m, err = of(v)
			}
			if !yield(m, err) {
				return
			}
		}
	}
}
