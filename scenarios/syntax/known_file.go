package syntax

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/words"
)

// KindKnownFailures is the kind of a file with the failures that are known of a CCM.
const KindKnownFailures = "KnownFailures"

// knownExample shows what such a file is.
const knownExample = `"apiVersion: ` + scenarios.APIVersion + `", "kind: ` + KindKnownFailures + `" and "known: [{scenario: NAME, issue: owner/repository#1, why: …}]"`

// knownDocument is what such a file says.
type knownDocument struct {
	APIVersion apiVersion   `yaml:"apiVersion,required"`
	Kind       string       `yaml:"kind,required" enum:"KnownFailures"`
	Known      []knownEntry `yaml:"known,required" item:"an entry of known"`
}

// knownEntry is one scenario that a CCM is known to fail.
type knownEntry struct {
	Scenario string `yaml:"scenario"`
	Issue    string `yaml:"issue"`
	Why      string `yaml:"why"`
	Says     string `yaml:"says"`

	place string
}

func (e knownEntry) failure() scenarios.KnownFailure {
	return scenarios.KnownFailure{Scenario: e.Scenario, Issue: e.Issue, Why: e.Why, Says: e.Says, Place: e.place}
}

// Check reports values that no entry can have, and keeps the place of this one.
func (e *knownEntry) Check(d *Decoder, n *yaml.Node) {
	e.place = d.Pos(n).String()
	for _, mistake := range e.failure().Mistakes() {
		d.Errorf(n, "%s", mistake)
	}
}

// LoadKnownFailures reads a file with the failures that are known of a CCM. Its error
// names every mistake with its file, line and column.
func LoadKnownFailures(file string) (scenarios.KnownFailures, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, scenarios.LoadError{err}
	}
	return ParseKnownFailures(file, raw)
}

// ParseKnownFailures reads the text of such a file; the name is for its error.
func ParseKnownFailures(file string, raw []byte) (scenarios.KnownFailures, error) {
	var document knownDocument
	if err := readDocument(file, raw, knownExample, reflect.ValueOf(&document).Elem()); err != nil {
		return nil, err
	}
	var known scenarios.KnownFailures
	for _, entry := range document.Known {
		known = append(known, entry.failure())
	}
	return known, nil
}

// CheckKnownFailures reports entries that name none of the scenarios, with the name that was
// probably meant, and those that name one for the second time.
func CheckKnownFailures(known scenarios.KnownFailures, all []*scenarios.Scenario) error {
	names := namesOf(all)
	var mistakes scenarios.LoadError
	places := map[string]string{}
	for _, k := range known {
		switch first := places[k.Scenario]; {
		case !slices.Contains(names, k.Scenario):
			mistakes = append(mistakes, fmt.Errorf("%s: there is no scenario %q%s", k.Place, k.Scenario, rightName(k.Scenario, all)))
		case first != "":
			mistakes = append(mistakes, fmt.Errorf("%s: the scenario %q is there twice: the first entry is at %s", k.Place, k.Scenario, first))
		default:
			places[k.Scenario] = k.Place
		}
	}
	return mistakes.AsError()
}

// namesOf are all names by which an entry can name scenarios.
func namesOf(all []*scenarios.Scenario) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Base, s.Name)
	}
	return names
}

// rightName says what would be right in the place of a name that no scenario has: what
// the matrix makes of a file whose name it begins with, or the name that is most like it.
func rightName(name string, all []*scenarios.Scenario) string {
	base, _, _ := strings.Cut(name, "[")
	var made []string
	for _, s := range all {
		if s.Base == base {
			made = append(made, s.Name)
		}
	}
	if len(made) > 0 {
		return fmt.Sprintf(": want %s, or %s for all of them", strings.Join(made, ", "), base)
	}
	return words.Suggest(name, namesOf(all)) + ": want the name of one, as reports have it"
}
