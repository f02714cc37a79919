package reduce

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

// draft is the text of a scenario of which steps can be left out.
type draft struct {
	root *yaml.Node
	// Kept are the steps that are in it, by their place in the original.
	Kept []int
	// parse reads the text again.
	parse parseFunc
}

// parseFunc reads the scenarios of a file.
type parseFunc func(file string, text []byte) ([]*scenarios.Scenario, error)

// errNoDraft says of a scenario that was not read from a file that it has no text.
var errNoDraft = errors.New("the scenario was not read from a file")

// NewDraft takes the whole text of a scenario: what it uses, and its parameters, are put in.
func NewDraft(s *scenarios.Scenario, parse parseFunc) (draft, error) {
	if s.Source == nil {
		return draft{}, errNoDraft
	}
	d := draft{root: plainNode(s.Source), parse: parse}
	removeKeys(syntax.ChildOf(d.root, "spec"), "parameters", "matrix")
	syntax.ChildOf(syntax.ChildOf(d.root, "metadata"), "name").SetString(FileName(s))
	for i := range s.Steps {
		d.Kept = append(d.Kept, i)
	}
	return d, nil
}

// steps is the list of steps.
func (d draft) steps() *yaml.Node { return syntax.ChildOf(syntax.ChildOf(d.root, "spec"), "steps") }

// keeping is the draft with only these of its steps, by their place in the original.
func (d draft) keeping(kept []int) draft {
	short := draft{root: plainNode(d.root), Kept: kept, parse: d.parse}
	steps := short.steps()
	content := steps.Content
	steps.Content = nil
	for i, place := range d.Kept {
		if slices.Contains(kept, place) {
			steps.Content = append(steps.Content, content[i])
		}
	}
	return short
}

// settled is the draft without the steps of finally that read what no step captures any more. It
// fails when one of the other steps does.
func (d draft) settled() (draft, error) {
	_, err := d.Scenario("")
	finally := syntax.ChildOf(syntax.ChildOf(d.root, "spec"), "finally")
	if err == nil || finally == nil {
		return d, err
	}
	steps := finally.Content
	finally.Content = nil
	for _, step := range steps {
		kept := finally.Content
		finally.Content = append(slices.Clip(kept), step)
		if _, err := d.Scenario(""); err != nil {
			finally.Content = kept
		}
	}
	_, err = d.Scenario("")
	return d, err
}

// Text writes the scenario, under a comment that may quote a CCM or the cloud: it stays a comment, and in a terminal text.
func (d draft) Text(comment string) ([]byte, error) {
	var b bytes.Buffer
	for line := range strings.Lines(comment) {
		b.WriteString(strings.TrimRight("# "+escape.Line(strings.TrimSuffix(line, "\n")), " ") + "\n")
	}
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := errors.Join(encoder.Encode(d.root), encoder.Close()); err != nil {
		return nil, fmt.Errorf("write a scenario: %w", err)
	}
	return b.Bytes(), nil
}

// Scenario reads the draft as a file would be. It fails when a step that is
// left reads what one that is left out has captured.
func (d draft) Scenario(file string) (*scenarios.Scenario, error) {
	text, err := d.Text("")
	if err != nil {
		return nil, err
	}
	all, err := d.parse(file, text)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// plainNode copies a value, with each alias as what it stands for.
func plainNode(n *yaml.Node) *yaml.Node {
	n = syntax.Resolve(n)
	c := *n
	c.Anchor, c.Content = "", nil
	if strings.HasPrefix(c.HeadComment, scenarios.ModelinePrefix) {
		_, c.HeadComment, _ = strings.Cut(c.HeadComment, "\n")
	}
	for _, child := range n.Content {
		c.Content = append(c.Content, plainNode(child))
	}
	return &c
}

func removeKeys(n *yaml.Node, keys ...string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if slices.Contains(keys, n.Content[i].Value) {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

var notInNamesRE = regexp.MustCompile(`[^a-z0-9]+`)

// FileName is the name of a scenario as a file can have it, and another scenario.
func FileName(s *scenarios.Scenario) string {
	const most = 52
	name := strings.Trim(notInNamesRE.ReplaceAllString(strings.ToLower(s.Name), "-"), "-")
	return strings.Trim(name[:min(len(name), most)], "-")
}
