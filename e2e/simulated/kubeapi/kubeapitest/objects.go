package kubeapitest

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

var upper = regexp.MustCompile("([a-z0-9])([A-Z])")

// Key names the case among those of all topics.
func (c Case) Key() string { return c.topic + "/" + c.Name }

// namespace is the name of the case's namespace: create/SecondTime has create-second-time.
func (c Case) namespace() string {
	return strings.ToLower(c.topic + "-" + upper.ReplaceAllString(c.Name, "$1-$2"))
}

// usesNamespace reports whether a case names its namespace.
func (c Case) usesNamespace() bool {
	uses := false
	for _, step := range c.Steps {
		uses = uses || strings.Contains(step.Do+step.Watch, "namespaces/$(ns)")
	}
	return uses
}

// prepare creates the namespace of a case with the ServiceAccount that pods need.
func (s *session) prepare(ctx context.Context, c Case) error {
	if !c.usesNamespace() {
		return nil
	}
	if err := s.create(ctx, "/api/v1/namespaces", c.namespace()); err != nil {
		return err
	}
	return s.create(ctx, "/api/v1/namespaces/$(ns)/serviceaccounts", "default")
}

// create creates an object that is not part of the case, unless it is there.
func (s *session) create(ctx context.Context, path, name string) error {
	body := map[string]any{"metadata": map[string]any{"name": name}}
	answer, err := s.send(ctx, Step{Do: "POST " + path, request: request{Body: body}})
	if err == nil && answer.Status != http.StatusCreated && answer.Status != http.StatusConflict {
		err = fmt.Errorf("status %d: %v", answer.Status, answer.Body)
	}
	if err != nil {
		return fmt.Errorf("prepare %s %s: %w", path, name, err)
	}
	return nil
}

// noteCreated remembers an object that a request has created, if it has.
func (s *session) noteCreated(step Step, a Answer) {
	method, path, _ := strings.Cut(step.Do, " ")
	path, query, _ := strings.Cut(path, "?")
	uid, _ := at(a.Body, "metadata.uid")
	if a.Status != http.StatusCreated || uid == nil || strings.Contains(query, "dryRun") {
		return
	}
	if name, _ := at(a.Body, "metadata.name"); method == http.MethodPost {
		path = fmt.Sprintf("%s/%s", path, name)
	}
	s.created = append(s.created, path)
}

// cleanUp closes the watches and deletes what the case has created, the last one first.
func (s *session) cleanUp(ctx context.Context) {
	for _, w := range s.watches {
		w.close()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTimeout)
	defer cancel()
	for i := len(s.created) - 1; i >= 0; i-- {
		s.remove(ctx, s.created[i])
	}
}

// remove deletes an object at once. One that is gone already is no error.
func (s *session) remove(ctx context.Context, path string) {
	unfinalized := map[string]any{"metadata": map[string]any{"finalizers": nil}}
	_, _ = s.send(ctx, Step{Do: "PATCH " + path, request: request{Type: "merge", Body: unfinalized}})
	_, _ = s.send(ctx, Step{Do: "DELETE " + path + "?gracePeriodSeconds=0"})
}
