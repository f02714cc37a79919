package fault

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// nameRE is what a name may be, as for resources: it can stand in a path and in a label.
var nameRE = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,251}[A-Za-z0-9])?$`)

// idRE is what the cloud calls rules.
var idRE = regexp.MustCompile(`^fault-[0-9]+$`)

// Validate returns an Invalid error that names every wrong field, or nil. A
// rule that could never fire is wrong.
func (r Rule) Validate() error {
	var f fields
	r.checkName(&f)
	r.checkGiven(&f)
	operations := chosen(r.Match.Operation)
	if len(operations) == 0 {
		f.add("match.operation", "%q %s", r.Match.Operation, noSuch(r.Match.Operation))
	}
	r.checkResource(&f, operations)
	if _, err := labels.Parse(r.Match.Labels); err != nil {
		f.add("match.labels", "%q is not a label selector: %v", r.Match.Labels, err)
	}
	r.When.check(&f)
	r.Effect.check(&f, "effect", operations)
	return simcloud.InvalidFields("fault", f)
}

// checkResource refuses what asks for a resource where the operations are about none.
func (r Rule) checkResource(f *fields, operations []operation) {
	if len(operations) == 0 {
		return
	}
	aboutNone := func(o operation) bool { return isList(o.Endpoint) && !o.named || isWatch(o.Endpoint) }
	asks := r.Match.Labels != "" || r.Match.Zone != "" || r.Arm != ""
	if asks && !slices.ContainsFunc(operations, func(o operation) bool { return !aboutNone(o) }) {
		f.add("match.operation", "%q chooses lists and streams alone: they are about no resource that has labels or a zone", r.Match.Operation)
	}
	kind, _, one := strings.Cut(r.Match.Resource, "/")
	if !one || strings.Contains(kind, "*") {
		return
	}
	if !slices.ContainsFunc(operations, func(o operation) bool {
		return (o.named || strings.Contains(o.Path, "{id}")) && string(o.Kind()) == kind
	}) {
		f.add("match.resource", "%q is no resource that match.operation can be about: write its kind and its id, such as instance/i-7", r.Match.Resource)
	}
}

func (r Rule) checkName(f *fields) {
	switch {
	case r.Name == "" && r.Arm != "":
		f.add("name", "is empty: resources name the rule that they arm")
	case r.Name == "":
	case !nameRE.MatchString(r.Name):
		f.add("name", "%q is not a name: 1 to 253 letters, digits, '-', '_' and '.', beginning and ending with a letter or digit", r.Name)
	case idRE.MatchString(r.Name):
		f.add("name", "%q looks like the id of a rule: choose another name", r.Name)
	}
	if r.Arm != "" && r.Arm != ArmByLabel {
		f.add("arm", "%q is not %q", r.Arm, ArmByLabel)
	}
}

// checkGiven refuses the fields that only the cloud sets.
func (r Rule) checkGiven(f *fields) {
	if r.ID != "" {
		f.add("id", "the cloud gives it: leave it out, a name is for you to choose")
	}
	if !r.Added.IsZero() {
		f.add("added", "the cloud's clock says it: leave it out")
	}
	if r.Calls != 0 {
		f.add("calls", "the cloud counts them: leave it out")
	}
	if r.Hits != 0 {
		f.add("hits", "the cloud counts them: leave it out")
	}
}

func (w When) check(f *fields) {
	if !(w.Probability >= 0 && w.Probability <= 1) { // not the opposite: NaN is in no range
		f.add("when.probability", "%v is not above 0 and at most 1", w.Probability)
	}
	if w.After < 0 {
		f.add("when.after", "%s is below 0s", w.After)
	}
	switch {
	case w.Until < 0:
		f.add("when.until", "%s is below 0s", w.Until)
	case w.Until != 0 && w.Until <= w.After:
		f.add("when.until", "%s is not above after (%s): the rule would never be on", w.Until, w.After)
	}
}

// chosen returns the operations that a glob matches, of the cloud or of dialects.
func chosen(glob string) []operation {
	if simcloud.NamesDialect(glob) {
		return chosenOfDialects(glob)
	}
	var operations []operation
	for _, e := range simcloud.Endpoints() {
		if strings.HasPrefix(e.Path, "/v1/") && simcloud.Glob(glob, e.Operation) {
			operations = append(operations, operation{name: e.Operation, Endpoint: e})
		}
	}
	return operations
}

// fields collects what is wrong with a rule.
type fields []simcloud.FieldError

func (f *fields) add(path, format string, args ...any) {
	*f = append(*f, simcloud.FieldError{Field: path, Detail: fmt.Sprintf(format, args...)})
}

// maxDuration is the longest duration of an effect.
const maxDuration = simcloud.Duration(24 * time.Hour)

// duration checks one that must be there.
func (f *fields) duration(path string, d simcloud.Duration) {
	if d <= 0 || d > maxDuration {
		f.add(path, "%s is not above 0s and at most %s", d, maxDuration)
	}
}

// pause checks one that may be left out.
func (f *fields) pause(path string, d simcloud.Duration) {
	if d != 0 {
		f.duration(path, d)
	}
}

// oneOf checks a text that is one of a few.
func oneOf[T ~string](f *fields, path string, value T, allowed []T) {
	if slices.Contains(allowed, value) {
		return
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	f.add(path, "invalid value %q: must be one of %s", string(value), strings.Join(names, ", "))
}
