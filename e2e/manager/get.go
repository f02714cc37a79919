package manager

import (
	"context"
	"io"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// maxAnswer is how much of an answer Get reads, in bytes. Metrics have some hundred thousand.
const maxAnswer = 16 << 20

// Get reads a path, such as /metrics, from the CCM's secure port, as an admin of
// the cluster. It answers Conflict when the CCM does not run, and Unimplemented
// when its port is unknown.
func (c *CCM) Get(ctx context.Context, path string) (status int, body []byte, err error) {
	switch {
	case c.deps.Wire != nil:
		return 0, nil, simcloud.Errorf(simcloud.Unimplemented, "ccm", "%s serves no port in simulated time", c.subject.Name)
	case !c.subject.serves():
		return 0, nil, simcloud.Errorf(simcloud.Unimplemented, "ccm", "the secure port of %s is unknown: add %s to its arguments", c.subject.Name, phSecurePort)
	case !c.Running():
		return 0, nil, notRunning()
	}
	admin, err := rest.HTTPClientFor(c.adminOf())
	if err != nil {
		return 0, nil, err
	}
	defer admin.CloseIdleConnections()
	url := "https://" + c.serving().String() + path
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, simcloud.InvalidFields("ccm", []simcloud.FieldError{{Field: "path", Detail: err.Error()}})
	}
	res, err := admin.Do(req)
	if err != nil {
		return 0, nil, simcloud.Errorf(simcloud.Unavailable, "ccm", "ask the cloud controller manager: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, body, err
}

// serving is where the running CCM serves its health and metrics.
func (c *CCM) serving() endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// adminOf is an admin's access to the CCM's own port, whose certificate the CCM makes at each start.
func (c *CCM) adminOf() *rest.Config {
	access := rest.CopyConfig(c.deps.Kube.Config)
	access.CAData, access.CAFile = nil, ""
	access.Insecure = true
	return access
}

func notRunning() error {
	return simcloud.Errorf(simcloud.Conflict, "ccm", "the cloud controller manager is not running")
}
