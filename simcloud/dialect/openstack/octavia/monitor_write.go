package octavia

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// monitorRequest is a monitor to create.
type monitorRequest struct {
	Monitor struct {
		monitorAttrs
		PoolID string `json:"pool_id"`
	} `json:"healthmonitor"`
}

// monitorAttrs are those of a monitor: what is not there stays, or is as Octavia has it.
type monitorAttrs struct {
	Name           *string   `json:"name"`
	Type           *string   `json:"type"`
	Delay          *int      `json:"delay"`
	Timeout        *int      `json:"timeout"`
	MaxRetries     *int      `json:"max_retries"`
	MaxRetriesDown *int      `json:"max_retries_down"`
	HTTPMethod     *string   `json:"http_method"`
	HTTPVersion    *float64  `json:"http_version"`
	URLPath        *string   `json:"url_path"`
	ExpectedCodes  *string   `json:"expected_codes"`
	DomainName     *string   `json:"domain_name"`
	AdminStateUp   *bool     `json:"admin_state_up"`
	Tags           *[]string `json:"tags"`
	ProjectID      string    `json:"project_id"`
}

// usualRetriesDown are those of a monitor that does not say.
const usualRetriesDown = 3

// put changes a monitor, and keeps it in the options of a pool with a protocol. An empty one is new.
func (a monitorAttrs) put(kept options, m keptMonitor, provider, pool string) error {
	if a.AdminStateUp != nil && !*a.AdminStateUp {
		return unsupported("simcloud does not simulate admin_state_up false")
	}
	if m.Type == "" {
		m.MaxRetriesDown = usualRetriesDown
	}
	set(&m.Name, a.Name)
	set(&m.Type, a.Type)
	set(&m.Delay, a.Delay)
	set(&m.Timeout, a.Timeout)
	set(&m.MaxRetries, a.MaxRetries)
	set(&m.MaxRetriesDown, a.MaxRetriesDown)
	set(&m.Tags, a.Tags)
	a.putHTTP(&m)
	if err := cmp.Or(m.check(provider, pool), m.checkHTTP(), checkTexts(&m.Name, nil, &m.Tags)); err != nil {
		return err
	}
	kept.json(optionMonitor, m, false)
	return nil
}

// putHTTP changes what a monitor that asks by HTTP has besides.
func (a monitorAttrs) putHTTP(m *keptMonitor) {
	if m.Type != monitorHTTP && m.Type != monitorHTTPS {
		return
	}
	method, path, codes := "GET", "/", "200"
	for _, attr := range []struct {
		to    **string
		from  *string
		usual *string
	}{{&m.HTTPMethod, a.HTTPMethod, &method}, {&m.URLPath, a.URLPath, &path}, {&m.ExpectedCodes, a.ExpectedCodes, &codes}, {&m.DomainName, a.DomainName, nil}} {
		if attr.from != nil {
			*attr.to = attr.from
		} else if *attr.to == nil {
			*attr.to = attr.usual
		}
	}
	if a.HTTPVersion != nil {
		m.HTTPVersion = a.HTTPVersion
	}
}

// check judges the monitor of a pool with a protocol.
func (m keptMonitor) check(provider, pool string) error {
	_, known := monitorTypes[m.Type]
	forUDP := []string{monitorUDP, monitorSCTP, "TCP", monitorHTTP}
	switch {
	case !known:
		return bad("type '%.40s' of a health monitor is not supported", m.Type)
	case m.Delay < 1 || m.Timeout < 1 || m.MaxRetries < 1 || m.MaxRetries > 10 || m.MaxRetriesDown < 1 || m.MaxRetriesDown > 10:
		return bad("delay and timeout of a health monitor must be at least 1, max_retries and max_retries_down between 1 and 10")
	case m.Type == monitorUDP && pool != udp, pool == udp && !slices.Contains(forUDP, m.Type):
		return bad("Type '%s' of a health monitor does not fit the pool protocol '%s'.", m.Type, pool)
	case m.Type == monitorUDP && m.Delay < 3:
		return bad("The request delay value %d should be larger than 3 for %s health monitor type.", m.Delay, monitorUDP)
	case provider == ovn && m.Type != "TCP" && m.Type != monitorUDP:
		return beyondOVN("OVN provider does not support %s health monitor type", m.Type)
	}
	return nil
}

// httpMethods are those that a monitor can ask with.
var httpMethods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "CONNECT"}

// checkHTTP judges what a monitor that asks by HTTP has besides.
func (m keptMonitor) checkHTTP() error {
	switch {
	case m.HTTPMethod != nil && !slices.Contains(httpMethods, *m.HTTPMethod):
		return bad("http_method '%.40s' is not supported: must be one of %v", *m.HTTPMethod, httpMethods)
	case m.URLPath != nil && !strings.HasPrefix(*m.URLPath, "/"):
		return bad("url_path '%.60s' must begin with /", *m.URLPath)
	case m.ExpectedCodes != nil && !expectedRE.MatchString(*m.ExpectedCodes):
		return bad("expected_codes '%.60s' must be a status code, a list such as 200,202 or a range such as 200-204", *m.ExpectedCodes)
	}
	return nil
}

func createMonitor(c service.Call, in monitorRequest) (any, *simcloud.Meta, error) {
	id := service.Pools.ID(in.Monitor.PoolID)
	if in.Monitor.PoolID == "" {
		return nil, nil, bad("pool_id is missing")
	}
	missing := c.Service.Missing(simcloud.KindTargetGroup, poolWord, in.Monitor.PoolID)
	if id == "" {
		return nil, nil, missing
	}
	t, g, err := mutablePool(c, id)
	if simcloud.CodeOf(err) == simcloud.NotFound {
		err = missing
	}
	if err != nil {
		return nil, nil, err
	}
	if hasMonitor(g) {
		return nil, nil, alreadyMonitored(in.Monitor.PoolID)
	}
	return in.Monitor.change(c, t, g)
}

// change gives a pool a monitor, or another one.
func (a monitorAttrs) change(c service.Call, t tree, g simcloud.TargetGroup) (any, *simcloud.Meta, error) {
	kept := copyOptions(g.Options)
	if err := a.put(kept, monitorOf(g), t.Options[optionProvider], protocolOf(g)); err != nil {
		return nil, nil, err
	}
	plain := map[string]string(kept)
	if _, err := c.Cloud.UpdateTargetGroup(c.Ctx(), g.ID, simcloud.TargetGroupUpdate{Options: &plain}); err != nil {
		return nil, nil, err
	}
	if err := rechecked(c, t, g.ID); err != nil {
		return nil, nil, err
	}
	t, g, err := poolOf(c, g.ID)
	return map[string]any{"healthmonitor": t.showMonitor(g)}, &g.Meta, err
}

// monitorUpdate is the change of a monitor.
type monitorUpdate struct {
	Monitor monitorAttrs `json:"healthmonitor"`
}

func updateMonitor(c service.Call, in monitorUpdate) (any, *simcloud.Meta, error) {
	t, g, err := monitored(c)
	if err != nil {
		return nil, nil, err
	}
	if err := t.mutable(); err != nil {
		return nil, nil, err
	}
	if in.Monitor.Type != nil {
		return nil, nil, bad("type of a health monitor cannot be changed")
	}
	return in.Monitor.change(c, t, g)
}

func deleteMonitor(c service.Call) (any, *simcloud.Meta, error) {
	t, g, err := monitored(c)
	if err != nil {
		return nil, nil, err
	}
	if err := t.mutable(); err != nil {
		return nil, nil, err
	}
	kept := copyOptions(g.Options)
	kept.remove(optionMonitor)
	plain := map[string]string(kept)
	return nil, &g.Meta, changePool(c, t, simcloud.TargetGroupUpdate{Options: &plain, NoHealthCheck: true}, g.ID)
}
