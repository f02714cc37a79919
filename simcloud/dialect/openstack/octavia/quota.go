package octavia

import (
	"errors"
	"net/http"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// limited is the handler of a creation, which a quota may refuse: it does so when all of the change is done.
func limited(handle service.Handler) service.Handler {
	return func(c service.Call) (any, *simcloud.Meta, error) {
		body, meta, err := handle(c)
		return body, meta, quota(err)
	}
}

// quota is the error of Octavia for a quota that is met, and every other error itself.
func quota(err error) error {
	var e *simcloud.Error
	if !errors.As(err, &e) || e.Code != simcloud.QuotaExceeded {
		return err
	}
	what := balancerWord
	if strings.Contains(e.Resource, string(simcloud.QuotaTargetGroups)) {
		what = poolWord
	}
	return service.Refuse(simcloud.QuotaExceeded, service.Code{Status: http.StatusForbidden}, "Quota has been met for resources: %s", what)
}
