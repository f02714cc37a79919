package fault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

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
