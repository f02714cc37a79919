package edge

import (
	"context"
	"fmt"
	"net/http"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// consistencyHeader asks for reads that show the cloud as it is.
const consistencyHeader = "Simcloud-Consistency"

// consistencyStrong is its only value.
const consistencyStrong = "strong"

// consistent returns ctx with the consistency that a request asks for. Of a caller that is no
// admin nothing changes: the configuration of stale reads is what a CCM is judged under.
func consistent(ctx context.Context, r *http.Request, caller simcloud.Caller) (context.Context, error) {
	switch value := r.Header.Get(consistencyHeader); {
	case value == "":
		return ctx, nil
	case value != consistencyStrong:
		return ctx, simcloud.InvalidFields("", []simcloud.FieldError{
			{Field: consistencyHeader, Detail: fmt.Sprintf("invalid value %q: must be %s, or no such header", clip(value), consistencyStrong)},
		})
	case caller.Role != simcloud.RoleAdmin:
		return ctx, nil
	}
	return simcloud.WithStrongReads(ctx), nil
}
