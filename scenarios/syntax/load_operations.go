package syntax

import (
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// OperationNames are the operations of the cloud that end.
func OperationNames() []string {
	var names []string
	for _, e := range simcloud.Endpoints() {
		if !IsStream(e.Operation) {
			names = append(names, e.Operation)
		}
	}
	return names
}

// IsStream reports whether the operation has no end.
func IsStream(operation string) bool {
	return strings.HasPrefix(operation, "Watch")
}
