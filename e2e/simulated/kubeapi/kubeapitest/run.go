package kubeapitest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud/wait"
)

const (
	// stepTimeout bounds a step: a watch that stays silent, or an awaited answer.
	stepTimeout = time.Minute
	// awaitInterval is the time between two requests of an awaited answer.
	awaitInterval = 20 * time.Millisecond
	// noToken in a step sends no credentials.
	noToken = "none"
)

// server is the server under test.
type server struct {
	base             string
	admin, anonymous *http.Client
}

func newServer(access *rest.Config) (server, error) {
	base, _, err := rest.DefaultServerUrlFor(access)
	if err != nil {
		return server{}, err
	}
	admin, err := rest.HTTPClientFor(access)
	if err != nil {
		return server{}, err
	}
	bare := rest.AnonymousClientConfig(access)
	bare.Transport = access.Transport
	anonymous, err := rest.HTTPClientFor(bare)
	return server{base: strings.TrimSuffix(base.String(), "/"), admin: admin, anonymous: anonymous}, err
}

// client returns the client of a step that has its own token, or has not.
func (s server) client(token string) *http.Client {
	if token == "" {
		return s.admin
	}
	return s.anonymous
}

// Run sends all requests of the topics with an admin's access and returns the answers, one case after
// the other. A step that fails is an Answer with an Error. Objects of a case have fixed names, so that Run needs a
// server that has not run the topics before.
func Run(ctx context.Context, access *rest.Config, topics []Topic) (Answers, error) {
	server, err := newServer(access)
	if err != nil {
		return nil, err
	}
	defer server.admin.CloseIdleConnections()
	defer server.anonymous.CloseIdleConnections()
	answers := Answers{}
	for _, topic := range topics {
		for _, c := range topic.Cases {
			answers[c.Key()] = server.run(ctx, c)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
	}
	return answers, nil
}

// session is a case that runs.
type session struct {
	server  server
	vars    variables
	watches map[string]*watch
	created []string // paths of objects to delete
	all     []Answer
	steps   []Step
}

// run runs a case.
func (s server) run(ctx context.Context, c Case) CaseAnswers {
	run := &session{server: s, vars: variables{"ns": c.namespace()}, watches: map[string]*watch{}, steps: c.Steps}
	defer run.cleanUp(ctx)
	if err := run.prepare(ctx, c); err != nil {
		return CaseAnswers{{Error: err.Error()}}
	}
	for _, step := range c.Steps {
		run.all = append(run.all, run.do(ctx, step))
	}
	return normalise(c, run.all)
}

// do runs one step.
func (s *session) do(ctx context.Context, step Step) Answer {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	answer, err := s.answer(ctx, step)
	if err != nil {
		answer.Error = err.Error()
	}
	answer.at, answer.Step = time.Now(), step.Do
	switch {
	case step.Watch != "":
		answer.Step = "WATCH " + step.Watch
	case step.Events != "":
		answer.Step = "events of " + step.Events
	}
	if step.As != "" && step.Watch == "" {
		s.vars[step.As] = answer.Body
	}
	return answer
}

func (s *session) answer(ctx context.Context, step Step) (Answer, error) {
	switch {
	case step.Watch != "":
		return s.watch(step)
	case step.Events != "":
		return s.events(ctx, step)
	case step.Await != 0:
		return s.await(ctx, step)
	}
	answer, err := s.send(ctx, step)
	s.noteCreated(step, answer)
	return answer, err
}

// await repeats a request until its answer is the one that the step waits for, and returns the last one.
func (s *session) await(ctx context.Context, step Step) (answer Answer, err error) {
	failed := wait.Until(ctx, awaitInterval, func(ctx context.Context) (bool, error) {
		answer, err = s.send(ctx, step)
		return err == nil && step.awaited(answer), err
	})
	return answer, failed
}

// awaited reports whether an answer is the one that a step waits for.
func (step Step) awaited(a Answer) bool {
	for path, want := range step.Has {
		if value, ok := at(a.Body, path); !ok || fmt.Sprint(value) != want {
			return false
		}
	}
	return a.Status == step.Await
}
