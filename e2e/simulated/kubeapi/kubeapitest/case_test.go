package kubeapitest_test

import (
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/kubeapitest"
)

// TestTopics checks that the table parses, that each case says what it shows, and that no name is used twice.
func TestTopics(t *testing.T) {
	t.Parallel()
	requests, seen := 0, map[string]bool{}
	for _, topic := range kubeapitest.Topics() {
		for _, c := range topic.Cases {
			if seen[c.Key()] {
				t.Errorf("%s: is there twice", c.Key())
			}
			seen[c.Key()] = true
			if c.Promise == "" || len(c.Steps) == 0 {
				t.Errorf("%s: must have a promise and steps", c.Key())
			}
			requests += len(c.Steps)
		}
	}
	t.Logf("%d cases with %d steps", len(seen), requests)
}

// TestGoldens checks that the real server's answers are recorded for each case of the table, and none beyond.
func TestGoldens(t *testing.T) {
	t.Parallel()
	recorded, err := kubeapitest.Golden()
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range kubeapitest.Topics() {
		for _, c := range topic.Cases {
			answers := recorded[c.Key()]
			delete(recorded, c.Key())
			if len(answers) != len(c.Steps) {
				t.Errorf("%s: %d answers are recorded for %d steps", c.Key(), len(answers), len(c.Steps))
			}
			for i, a := range answers {
				if a.Error != "" {
					t.Errorf("%s: step %d has no answer: %s", c.Key(), i+1, a.Error)
				}
			}
		}
	}
	for key := range recorded {
		t.Errorf("%s: is recorded, and not in the table", key)
	}
}
