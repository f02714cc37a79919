package octavia

import (
	"net/http"
	"regexp"
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
func hasMonitor(g simcloud.TargetGroup) bool {
	return g.Options[optionMonitor] != "" || g.HealthCheck != nil
}

// monitorOf is the monitor of a pool. Where the cloud asks the members, it is as the cloud does it.
func monitorOf(g simcloud.TargetGroup) keptMonitor {
	m, check := valueIn[keptMonitor](g.Options, optionMonitor), g.HealthCheck
	if check == nil {
		return m
	}
	if m.Type == "" { // another client has made it
		m.Type, m.MaxRetriesDown = strings.ToUpper(string(check.Protocol)), usualRetriesDown
		if check.Path != "" {
			method := "GET"
			m.HTTPMethod, m.ExpectedCodes, m.DomainName = &method, textOrNull(strings.Join(check.StatusCodes, ",")), textOrNull(check.Domain)
		}
	}
	m.Delay, m.Timeout, m.MaxRetries = check.IntervalSeconds, check.TimeoutSeconds, check.Threshold
	if check.Path != "" {
		m.URLPath = &check.Path
	}
	return m
}

// showMonitor is the monitor of a pool as Octavia shows it.
func (t tree) showMonitor(g simcloud.TargetGroup) monitor {
	kept, status := monitorOf(g), online
	if t.State == simcloud.LoadBalancerProvisioning {
		status = offline
	}
	m := monitor{
		common:          t.commonOf(service.Monitors.UUID(g.ID), status, g.Meta, nil),
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
		if m.DomainName != nil {
			check.Domain = *m.DomainName
		}
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

// expectedRE is a list of status codes, or a range of them.
var expectedRE = regexp.MustCompile(`^(\d{3}(\s*,\s*\d{3})*|\d{3}-\d{3})$`)

// statusCodes are the patterns of a list such as 200 or 200,202, or of a range such as 200-204.
func statusCodes(expected *string) []string {
	if expected == nil {
		return nil
	}
	first, last, isRange := strings.Cut(*expected, "-")
	if isRange {
		return patterns(first, last)
	}
	var codes []string
	for part := range strings.SplitSeq(*expected, ",") {
		codes = append(codes, strings.TrimSpace(part))
	}
	return codes
}

// patterns are those of all numbers of three digits in a range: 2?? for 200 to 299, and 20? for 200 to 209.
func patterns(first, last string) []string {
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	if errFrom != nil || errTo != nil {
		return nil
	}
	const hundred, ten = 100, 10
	var all []string
	for code := from; code <= to; {
		text := strconv.Itoa(code)
		switch {
		case code%hundred == 0 && code+hundred-1 <= to:
			all, code = append(all, text[:1]+"??"), code+hundred
		case code%ten == 0 && code+ten-1 <= to:
			all, code = append(all, text[:2]+"?"), code+ten
		default:
			all, code = append(all, text), code+1
		}
	}
	return all
}

func listMonitors(c service.Call) (any, error) {
	all, err := trees(c, func(simcloud.LoadBalancer) bool { return true })
	if err != nil {
		return nil, err
	}
	var shown []monitor
	for _, t := range all {
		for _, g := range slices.DeleteFunc(t.pools, func(g simcloud.TargetGroup) bool { return !hasMonitor(g) }) {
			shown = append(shown, t.showMonitor(g))
		}
	}
	return listed(c, "healthmonitors", shown, func(m monitor) string { return m.ID })
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
