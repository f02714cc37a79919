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
