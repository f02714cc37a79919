package scenarios

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

func operationNames() []string {
	var names []string
	for _, e := range simcloud.Endpoints() {
		if !isStream(e.Operation) {
			names = append(names, e.Operation)
		}
	}
	return names
}

// isStream reports whether the operation has no end.
func isStream(operation string) bool {
	return strings.HasPrefix(operation, "Watch")
}
