package octavia

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/openstack/service"
)

// monitor is the health check of a pool, as Octavia shows it.
type monitor struct {
	common
	monitorSettings
	Pools []reference `json:"pools"`
}

// monitorSettings are those of a monitor, as the options of its pool have them. Times are in seconds.
type monitorSettings struct {
	Type           string   `json:"type"`
	Delay          int      `json:"delay"`
	Timeout        int      `json:"timeout"`
	MaxRetries     int      `json:"max_retries"`
	MaxRetriesDown int      `json:"max_retries_down"`
	HTTPMethod     *string  `json:"http_method"`
	HTTPVersion    *float64 `json:"http_version"`
	URLPath        *string  `json:"url_path"`
	ExpectedCodes  *string  `json:"expected_codes"`
	DomainName     *string  `json:"domain_name"`
}

// keptMonitor is a monitor in the options of its pool.
type keptMonitor struct {
	monitorSettings
	Name string   `json:"name"`
	Tags []string `json:"tags,omitempty"`
}

// hasMonitor reports whether a pool has a monitor.
func hasMonitor(g simcloud.TargetGroup) bool { return g.Options[optionMonitor] != "" }

// showMonitor is the monitor of a pool as Octavia shows it.
func (t tree) showMonitor(g simcloud.TargetGroup) monitor {
	kept := valueIn[keptMonitor](g.Options, optionMonitor)
	m := monitor{
		common:          t.commonOf(service.Monitors.UUID(g.ID), online, g.Meta, nil),
		monitorSettings: kept.monitorSettings, Pools: []reference{{service.Pools.UUID(g.ID)}},
	}
	m.Name, m.Tags = kept.Name, append([]string{}, kept.Tags...)
	return m
}

// The types of monitors.
const (
	monitorHTTP  = "HTTP"
	monitorHTTPS = "HTTPS"
	monitorUDP   = "UDP-CONNECT"
	monitorSCTP  = "SCTP"
)

// monitorTypes are those of monitors, with how the cloud asks. One that it cannot ask is kept: its members are healthy while
// their servers run.
var monitorTypes = map[string]simcloud.HealthCheckProtocol{
	"TCP": simcloud.HealthCheckTCP, monitorHTTP: simcloud.HealthCheckHTTP, monitorHTTPS: simcloud.HealthCheckHTTPS,
	"TLS-HELLO": simcloud.HealthCheckTCP, "PING": "", monitorUDP: "", monitorSCTP: "",
}

// checkOf is the health check of a pool with options and targets; nil where the cloud cannot ask as its monitor does.
func checkOf(kept map[string]string, targets []simcloud.GroupTargetSpec) *simcloud.HealthCheck {
	m := valueIn[keptMonitor](kept, optionMonitor)
	protocol := monitorTypes[m.Type]
	if protocol == "" {
		return nil
	}
	check := &simcloud.HealthCheck{
		Protocol: protocol, Port: monitorPortOf(targets), IntervalSeconds: m.Delay, TimeoutSeconds: m.Timeout, Threshold: m.MaxRetries,
	}
	if m.URLPath != nil && (m.Type == monitorHTTP || m.Type == monitorHTTPS) {
		check.Path = *m.URLPath
		check.StatusCodes = statusCodes(m.ExpectedCodes)
	}
	return check
}

// monitorPortOf is the port at which members want to be asked, if it is the same for all; 0: at their own.
func monitorPortOf(targets []simcloud.GroupTargetSpec) int {
	port := -1
	for _, target := range targets {
		switch at := numberIn(target.Options, optionMonitorPort, 0); {
		case port < 0:
			port = at
		case port != at:
			return 0
		}
	}
	return max(port, 0)
}

// statusCodes are the patterns of a list such as 200, 200,202 or 200-204.
func statusCodes(expected *string) []string {
	if expected == nil {
		return nil
	}
	var codes []string
	for _, part := range strings.Split(*expected, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		from, errFrom := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if errFrom != nil || errTo != nil {
			return nil
		}
		for code := from; code <= to; code++ {
			codes = append(codes, strconv.Itoa(code))
		}
	}
	return codes
}

var monitorFilters = []string{"id", "name", "pool_id", "type", "provisioning_status", "operating_status", "project_id"}

func listMonitors(c service.Call) (any, error) {
	if err := known(c.Query(), monitorFilters...); err != nil {
		return nil, err
	}
	all, err := trees(c)
	if err != nil {
		return nil, err
	}
	var shown []monitor
	for _, t := range all {
		for _, g := range slices.DeleteFunc(t.pools, func(g simcloud.TargetGroup) bool { return !hasMonitor(g) }) {
			m := t.showMonitor(g)
			if m.common.matches(c.Query()) && matchAll(c.Query(), map[string]string{"pool_id": m.Pools[0].ID, "type": m.Type}) {
				shown = append(shown, m)
			}
		}
	}
	return service.List(c, "healthmonitors", shown, func(m monitor) string { return m.ID }, pages)
}

// monitored is the pool of the monitor that a path names.
func monitored(c service.Call) (tree, simcloud.TargetGroup, error) {
	t, g, err := poolOf(c, c.ID)
	if err == nil && !hasMonitor(g) {
		err = c.Service.Missing(simcloud.KindTargetGroup, monitorWord, c.UUID)
	}
	return t, g, err
}

func getMonitor(c service.Call) (any, error) {
	t, g, err := monitored(c)
	return map[string]any{"healthmonitor": t.showMonitor(g)}, err
}

// alreadyMonitored is the error for a second monitor of a pool.
func alreadyMonitored(pool string) error {
	return service.Refuse(simcloud.AlreadyExists, service.Code{Status: http.StatusConflict}, "This pool already has a health monitor: %s", pool)
}
