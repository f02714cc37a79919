package explore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/simcloud/durable"
)

// historyKind is the kind of the files of a corpus, which have the apiVersion of scenarios.
const historyKind = "History"

// historyPattern is what the files of histories are called in a corpus.
const historyPattern = "history-*.yaml"

// saved is a history in a file of a corpus.
type saved struct {
	History
	// Shows is what it was the first to show.
	Shows []feature
	// Violates is the rule that it breaks, and Scenario the file beside it that shows that; empty for one that breaks none.
	Violates, Scenario string
	// Race is whether it does not break the rule each time.
	Race bool
}

// savedFile is the form of the file.
type savedFile struct {
	APIVersion string      `yaml:"apiVersion"`
	Kind       string      `yaml:"kind"`
	Violates   string      `yaml:"violates,omitempty"`
	Scenario   string      `yaml:"scenario,omitempty"`
	Race       bool        `yaml:"race,omitempty"`
	Nodes      int         `yaml:"nodes"`
	Ops        []yaml.Node `yaml:"ops"`
	Shows      []feature   `yaml:"shows,omitempty"`
}

func (s saved) file() savedFile {
	f := savedFile{APIVersion: scenarios.APIVersion, Kind: historyKind, Violates: s.Violates, Scenario: s.Scenario, Race: s.Race, Nodes: s.Nodes, Shows: s.Shows}
	for _, op := range s.Ops {
		f.Ops = append(f.Ops, *opNode(op))
	}
	return f
}

// text is the file.
func (f savedFile) text() []byte {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(f); err != nil {
		panic(fmt.Sprintf("a history as YAML: %v", err)) // texts, numbers and lists of them
	}
	return b.Bytes()
}

// identity tells histories apart, whatever is known of them: it is the same in each corpus.
func (h History) identity() string {
	sum := sha256.Sum256(saved{History: h}.file().text())
	return hex.EncodeToString(sum[:8])
}

// save writes a history into a corpus. It returns the name of the file.
func (s saved) save(dir string) (string, error) {
	name := "history-" + s.identity() + ".yaml"
	return name, durable.WriteFile(filepath.Join(dir, name), s.file().text(), 0o644)
}

// mostNodes is how many nodes a file may want.
const mostNodes = 10

// readSaved reads the file of a history.
func readSaved(raw []byte) (saved, error) {
	var f savedFile
	if err := yaml.Unmarshal(raw, &f); err != nil {
		return saved{}, err
	}
	switch {
	case f.Kind != historyKind:
		return saved{}, fmt.Errorf("kind is %q: must be %s", f.Kind, historyKind)
	case f.APIVersion != scenarios.APIVersion:
		return saved{}, fmt.Errorf("apiVersion is %q: this version of simcloud reads %s", f.APIVersion, scenarios.APIVersion)
	case f.Nodes < 0 || f.Nodes > mostNodes:
		return saved{}, fmt.Errorf("nodes is %d: must be between 0 and %d", f.Nodes, mostNodes)
	}
	s := saved{History: History{Nodes: f.Nodes}, Shows: f.Shows, Violates: f.Violates, Scenario: f.Scenario, Race: f.Race}
	for i := range f.Ops {
		op, err := readOp(&f.Ops[i])
		if err != nil {
			return saved{}, err
		}
		s.Ops = append(s.Ops, op)
	}
	return s, nil
}
