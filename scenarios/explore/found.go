package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// shrinkFound shrinks what was found, and adds it to the report.
func (x *exploration) shrinkFound(ctx context.Context, found *finding) error {
	s := &shrinker{
		places: x.places(), budget: max(reruns, x.Reruns), best: found.history, found: found.found,
		progress: func(h History) { x.progress("shrinking: %d steps show it", len(h.write(title{}).ops)) },
		renew:    x.renew,
	}
	s.try = func(ctx context.Context, place int, h History) ([]violation, error) {
		scenario, err := h.scenario()
		if err != nil {
			return nil, err
		}
		if s.hurried {
			scenario = x.hurried(scenario, s.found.rule)
		}
		r, err := x.run(ctx, place, scenario)
		return violations(r), err
	}
	x.progress("shrinking history %d, with at most %d reruns", found.number, s.budget)
	again, err := s.shrink(ctx)
	return x.conclude(ctx, found, s, again, err)
}

// conclude adds what was found to the report, also when err has ended the search for a shorter history. What is not
// to be relied on is not looked for again, and the search goes on.
func (x *exploration) conclude(ctx context.Context, found *finding, s *shrinker, again bool, err error) error {
	if name := x.explains(s.best, s.found.rule); name != "" && err == nil {
		x.progress("history %d shows the violation of %s again: the search goes on", found.number, name)
		x.report.Known[name]++
		return nil
	}
	v := x.violation(found, s, again, err != nil)
	if again && err == nil {
		err = x.believe(ctx, v, s.found.rule)
	} else if err != nil {
		err = fmt.Errorf("shrink history %d: %w", found.number, err)
	}
	x.add(v, again)
	if err == nil && x.report.Violation == nil {
		x.progress("history %d does not show it each time, or not everywhere: the search goes on", found.number)
	}
	return errors.Join(err, x.keep(v, s.found.rule, !again))
}

// explains is the name of the known violation that a history shows; "" when there is none.
func (x *exploration) explains(h History, rule string) string {
	_, name := unknown(x.known, h, []violation{{rule: rule}})
	return name
}

// add adds a violation to the report.
func (x *exploration) add(v *Violation, again bool) {
	switch {
	case !again:
		x.report.Unstable = append(x.report.Unstable, v)
	case v.Confirmation == SimulatedOnly:
		x.report.Unconfirmed = append(x.report.Unconfirmed, v)
	default:
		x.report.Violation = v
	}
}

// keep lets a violation be known from now on, and saves it in the corpus, unless it may still become shorter.
func (x *exploration) keep(v *Violation, rule string, race bool) error {
	x.known = append(x.known, known{name: v.Name, rule: rule, words: wordsOf(v.shortest)})
	if x.corpus == nil || v.Interrupted {
		return nil
	}
	return x.corpus.keepViolation(v.shortest, rule, v.Text, race)
}

// renew gives all places new worlds.
func (x *exploration) renew(ctx context.Context) error {
	var errs []error
	for place := range x.places() {
		errs = append(errs, x.Runner.Renew(ctx, place))
	}
	return errors.Join(errs...)
}

// violation writes what was found as a scenario.
func (x *exploration) violation(found *finding, s *shrinker, again, interrupted bool) *Violation {
	t := x.title(found, s, again, interrupted)
	written := s.best.write(t)
	return &Violation{
		Name: t.name, History: found.number, Failure: s.found.failure, Text: written.text,
		Steps: len(written.ops), FoundSteps: len(found.history.write(title{}).ops), Reruns: s.runs,
		Found: found.at.Seconds(), Shrunk: time.Since(x.began).Seconds(), Interrupted: interrupted,
		Confirmation: NotTried, Bred: found.of != nil, shortest: s.best, title: t,
	}
}

func (x *exploration) title(found *finding, s *shrinker, again, interrupted bool) title {
	t := title{name: fmt.Sprintf("explored-%d-%d", x.Seed, found.number)}
	t.description = "Found by simcloud explore: " + headline(s.found.failure)
	if because := s.found.failure.Because; !strings.HasSuffix(t.description, because) {
		t.description = strings.TrimRight(t.description, ".") + ". " + because
	}
	how := ""
	if found.of != nil {
		how = ", of " + found.of.name + " of its corpus"
	}
	t.comment = []string{
		fmt.Sprintf("Found by simcloud explore --seed %d as history %d%s, and shrunk by %d reruns.", x.Seed, found.number, how, s.runs),
	}
	switch {
	case interrupted:
		t.comment = append(t.comment, "The exploration ended before the file was proven in new worlds.")
	case !again:
		t.comment = append(t.comment, "It is a race: it did not show the violation each time that it was run again.")
	}
	return t
}
