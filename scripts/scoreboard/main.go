// Command scoreboard writes docs/scoreboard.md: how each CCM stands against each
// clause, with what shows each failure. Its arguments are NAME@VERSION=FOLDER, where the
// folder is the report of "simcloud conformance".
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
)

func main() {
	docs := flag.String("docs", "docs", "folder of the page")
	flag.Parse()
	if err := run(*docs, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "scoreboard:", err)
		os.Exit(1)
	}
}

// column is one CCM.
type column struct {
	name, version, folder string
	verdict               conformance.Verdict
}

func run(docs string, args []string) error {
	if len(args) == 0 {
		return errors.New("want NAME@VERSION=FOLDER, once for each cloud controller manager")
	}
	var columns []column
	for _, arg := range args {
		c, err := read(arg)
		if err != nil {
			return err
		}
		columns = append(columns, c)
	}
	for _, c := range columns {
		if err := c.keepReproductions(docs); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(docs, "scoreboard.md"), []byte(page(columns)), 0o644)
}

func read(arg string) (column, error) {
	subject, folder, ok := strings.Cut(arg, "=")
	name, version, versioned := strings.Cut(subject, "@")
	if !ok || !versioned || name == "" || version == "" {
		return column{}, fmt.Errorf("%q: want NAME@VERSION=FOLDER", arg)
	}
	raw, err := os.ReadFile(filepath.Join(folder, "conformance.json"))
	if err != nil {
		return column{}, err
	}
	c := column{name: name, version: version, folder: folder}
	if err := json.Unmarshal(raw, &c.verdict); err != nil {
		return column{}, fmt.Errorf("%s: %w", folder, err)
	}
	return c, nil
}

// keepReproductions copies the scenarios that show failures to where the page links to.
func (c column) keepReproductions(docs string) error {
	to := filepath.Join(docs, "scoreboard", c.name)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	for _, f := range c.failures() {
		if f.Reproduction == nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(c.folder, filepath.FromSlash(f.Reproduction.File)))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		// The report names the paths of the machine that made it.
		raw = []byte(scenarios.Modeline(schema) + withoutPaths(strings.ReplaceAll(string(scenarios.WithoutModeline(raw)), f.Reproduction.Command, c.command(f))))
		if err := os.WriteFile(filepath.Join(to, filepath.Base(f.Reproduction.File)), raw, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// schema is the schema of scenarios, seen from the folder of a column.
const schema = "../../../scenarios/schema.json"

// ofRun is the folder of a cluster, which has another name in each run.
var ofRun = regexp.MustCompile(`\S*/simcloud-test-\d+/cluster-[0-9-]+/`)

// withoutPaths is a text without the folders of the run.
func withoutPaths(text string) string { return ofRun.ReplaceAllString(text, "") }

// command runs what shows a failure, from the root of the repository.
func (c column) command(f failure) string {
	return fmt.Sprintf("simcloud test --profile %s docs/scoreboard/%s/%s", c.name, c.name, filepath.Base(f.Reproduction.File))
}

// failure is a scenario of a clause that failed.
type failure struct {
	clause conformance.ClauseVerdict
	conformance.ScenarioVerdict
}

func (c column) failures() []failure {
	var all []failure
	for _, area := range c.verdict.Areas {
		for _, clause := range area.Clauses {
			for _, s := range clause.Scenarios {
				if s.Failure != nil {
					all = append(all, failure{clause, s})
				}
			}
		}
	}
	return all
}
