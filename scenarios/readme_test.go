package scenarios

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestReadmeNamesAll: what can be written in a scenario is documented.
func TestReadmeNamesAll(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(verbNames(), oracleNames(), []string{"within", "holds", "never", "meanwhile"})
	names = slices.AppendSeq(names, maps.Keys(callValue(simcloud.JournalEntry{})))
	for _, v := range variables {
		names = append(names, v.name)
	}
	for _, name := range names {
		if !strings.Contains(string(readme), "`"+name) {
			t.Errorf("README.md does not say what %s is", name)
		}
	}
	for _, function := range []string{"condition", "tainted", "addresses", "label", "reasons"} {
		if !strings.Contains(string(readme), "`"+function+"(") {
			t.Errorf("README.md does not say what the function %s is", function)
		}
	}
}
