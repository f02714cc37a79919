package kubeapitest

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path"
	"strings"

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
