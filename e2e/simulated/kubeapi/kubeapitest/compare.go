package kubeapitest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Known names the cases, as topic/case, that a server is known to answer otherwise, with the reason.
type Known map[string]string

// Compare compares answers with the recorded ones of the real server, each case in a subtest.
func Compare(t *testing.T, topics []Topic, got Answers, known Known) {
	want, err := Golden()
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics {
		t.Run(topic.Name, func(t *testing.T) {
			for _, c := range topic.Cases {
				t.Run(c.Name, func(t *testing.T) {
					judge(c, want[c.Key()], got[c.Key()], known[c.Key()]).report(t)
				})
			}
		})
	}
}

// verdict is what a comparison says of a case: at most one of both.
type verdict struct{ failure, skip string }

func (v verdict) report(t *testing.T) {
	t.Helper()
	if v.failure != "" {
		t.Error(v.failure)
	}
	if v.skip != "" {
		t.Skip(v.skip)
	}
}

// judge compares the answers to a case. A known difference is skipped, and one that is gone is
// a failure, so that it is not kept.
func judge(c Case, want, got CaseAnswers, known string) verdict {
	diff, err := difference(want, got)
	switch {
	case err != nil:
		return verdict{failure: err.Error()}
	case want == nil:
		return verdict{failure: "no recorded answers: record them with -update from the real server"}
	case known != "" && diff == "":
		return verdict{failure: fmt.Sprintf("answers as the real server does: remove it from the known differences (%s)", known)}
	case known != "":
		return verdict{skip: "known difference: " + known}
	case diff != "":
		return verdict{failure: fmt.Sprintf("%s\n(-real +this):\n%s", c.Promise, diff)}
	}
	return verdict{}
}

// difference compares answers by what JSON decodes them to.
func difference(want, got CaseAnswers) (string, error) {
	plainWant, err := plain(want)
	if err != nil {
		return "", err
	}
	plainGot, err := plain(got)
	return cmp.Diff(plainWant, plainGot), err
}

func plain(answers CaseAnswers) (content any, err error) {
	raw, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	return content, json.Unmarshal(raw, &content)
}
