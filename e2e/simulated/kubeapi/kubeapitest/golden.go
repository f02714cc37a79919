package kubeapitest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	orderedyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

//go:embed testdata
var goldens embed.FS

// goldenCase is a case of a golden file.
type goldenCase struct {
	Case    string      `json:"case" yaml:"case"`
	Answers CaseAnswers `json:"answers" yaml:"answers"`
}

// Golden returns the recorded answers of the real server.
func Golden() (Answers, error) {
	files, err := goldens.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	all := Answers{}
	for _, file := range files {
		if err := readGolden(file.Name(), all); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return all, nil
}

func readGolden(file string, all Answers) error {
	raw, err := goldens.ReadFile(path.Join("testdata", file))
	if err != nil {
		return err
	}
	var recorded []goldenCase
	if err := yaml.UnmarshalStrict(raw, &recorded); err != nil {
		return err
	}
	for _, c := range recorded {
		all[strings.TrimSuffix(file, ".yaml")+"/"+c.Case] = c.Answers
	}
	return nil
}

// WriteGolden writes the answers of the real server to testdata below the working directory.
func WriteGolden(got Answers, topics []Topic) error {
	for _, topic := range topics {
		var all []goldenCase
		for _, c := range topic.Cases {
			all = append(all, goldenCase{Case: c.Name, Answers: got[c.Key()]})
		}
		if err := writeYAML(path.Join("testdata", topic.Name+".yaml"), all); err != nil {
			return err
		}
	}
	return nil
}

// writeYAML writes a file whose fields have the order of their structs.
func writeYAML(file string, content any) error {
	var out bytes.Buffer
	encoder := orderedyaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(content); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// Known names the cases, as topic/case, that a server is known to answer otherwise, with the reason.
type Known map[string]string

// Compare compares answers with the recorded ones of the real server, each case in a subtest. A
// known difference is reported as a skip, and one that is gone as an error.
func Compare(t *testing.T, topics []Topic, got Answers, known Known) {
	want, err := Golden()
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics {
		t.Run(topic.Name, func(t *testing.T) {
			for _, c := range topic.Cases {
				t.Run(c.Name, func(t *testing.T) { compareCase(t, c, want[c.Key()], got[c.Key()], known[c.Key()]) })
			}
		})
	}
}

func compareCase(t *testing.T, c Case, want, got CaseAnswers, known string) {
	diff := cmp.Diff(plain(t, want), plain(t, got))
	switch {
	case known != "" && diff == "":
		t.Errorf("answers as the real server does: remove it from the known differences (%s)", known)
	case known != "":
		t.Skipf("known difference: %s", known)
	case want == nil:
		t.Errorf("no recorded answers: record them with -update from the real server")
	case diff != "":
		t.Errorf("%s\n(-real +this):\n%s", c.Promise, diff)
	}
}

// plain returns answers as JSON decodes them, so that only values are compared.
func plain(t *testing.T, answers CaseAnswers) any {
	t.Helper()
	raw, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	var content any
	if err := json.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	return content
}
