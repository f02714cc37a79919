package resource

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// listenerFlags are the flags that configure a listener.
type listenerFlags struct {
	given   simcloud.ListenerConfig
	options []string
	check   string // its protocol, port and path
	checked simcloud.HealthCheck
}

func (l *listenerFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&l.given.AllowedCIDRs, "allow", nil, "range that may connect; can be repeated (default: all)")
	f.BoolVar(&l.given.ProxyProtocol, "proxy-protocol", false, "PROXY protocol header, which tells the targets who connects")
	f.IntVar(&l.given.IdleTimeoutSeconds, "idle-timeout", 0, "seconds after which a silent connection ends (default: the cloud's)")
	f.StringArrayVar(&l.options, "option", nil, "option KEY=VALUE, which the cloud keeps and does not interpret; can be repeated")
	f.StringVar(&l.check, "check", "", "health check PROTOCOL:PORT, with a path for http and https, such as tcp:30080 or http:10256/healthz (default: none)")
	f.IntVar(&l.checked.IntervalSeconds, "check-interval", 0, "seconds between two health checks; 0 means 5")
	f.IntVar(&l.checked.TimeoutSeconds, "check-timeout", 0, "seconds that a target may take to answer; 0 means 3")
	f.IntVar(&l.checked.Threshold, "check-threshold", 0, "number of answers in a row that change the health; 0 means 3")
	f.StringVar(&l.checked.Domain, "check-domain", "", "host that http and https ask for (default: the target's address)")
	f.StringSliceVar(&l.checked.StatusCodes, "check-status", nil, "pattern of good status codes, such as 200 or 3??; can be repeated (default: 2?? and 3??)")
	f.StringVar(&l.checked.Response, "check-response", "", "text that a good answer contains (default: any answer)")
	f.BoolVar(&l.checked.VerifyCertificate, "check-verify", false, "certificate of https that has to be valid (default: any certificate)")
}

// config is the configuration that the flags ask for.
func (l *listenerFlags) config(targetPort int) (simcloud.ListenerConfig, error) {
	config := l.given
	config.TargetPort = targetPort
	options, err := parsePairs("option", l.options)
	if err != nil {
		return config, err
	}
	config.Options = options
	if l.check != "" {
		check, err := l.healthCheck()
		config.HealthCheck = &check
		return config, err
	}
	if !reflect.ValueOf(l.checked).IsZero() {
		return config, exit.Usage(errors.New("there is no health check to configure: give --check, too"))
	}
	return config, nil
}

func (l *listenerFlags) healthCheck() (simcloud.HealthCheck, error) {
	check := l.checked
	protocol, at, _ := strings.Cut(l.check, ":")
	port, path, _ := strings.Cut(at, "/")
	if path != "" || strings.HasSuffix(at, "/") {
		check.Path = "/" + path
	}
	var err error
	if check.Port, err = strconv.Atoi(port); err != nil {
		return check, exit.Usage(fmt.Errorf("--check %q is not PROTOCOL:PORT or PROTOCOL:PORT/PATH, such as http:10256/healthz", l.check))
	}
	check.Protocol = simcloud.HealthCheckProtocol(protocol)
	return check, nil
}
