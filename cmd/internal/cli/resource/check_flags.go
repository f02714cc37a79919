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

// checkFlags are the flags that configure a health check.
type checkFlags struct {
	text  string // its protocol, port and path
	given simcloud.HealthCheck
	// ownPorts is whether the port may be left out: targets are then asked at their own.
	ownPorts bool
}

func (c *checkFlags) add(f *pflag.FlagSet) {
	usage := "health check PROTOCOL:PORT, with a path for http and https, such as tcp:30080 or http:10256/healthz (default: none)"
	if c.ownPorts {
		usage = "health check PROTOCOL[:PORT], with a path for http and https, such as http:10256/healthz, or tcp at the port of each target (default: none)"
	}
	f.StringVar(&c.text, "check", "", usage)
	f.IntVar(&c.given.IntervalSeconds, "check-interval", 0, "seconds between two health checks; 0 means 5")
	f.IntVar(&c.given.TimeoutSeconds, "check-timeout", 0, "seconds that a target may take to answer; 0 means 3")
	f.IntVar(&c.given.Threshold, "check-threshold", 0, "number of answers in a row that change the health; 0 means 3")
	f.StringVar(&c.given.Domain, "check-domain", "", "host that http and https ask for (default: the target's address)")
	f.StringSliceVar(&c.given.StatusCodes, "check-status", nil, "pattern of good status codes, such as 200 or 3??; can be repeated (default: 2?? and 3??)")
	f.StringVar(&c.given.Response, "check-response", "", "text that a good answer contains (default: any answer)")
	f.BoolVar(&c.given.VerifyCertificate, "check-verify", false, "certificate of https that has to be valid (default: any certificate)")
}

// healthCheck is the check that the flags ask for; nil when they ask for none.
func (c *checkFlags) healthCheck() (*simcloud.HealthCheck, error) {
	if c.text == "" {
		if !reflect.ValueOf(c.given).IsZero() {
			return nil, exit.Usage(errors.New("there is no health check to configure: give --check, too"))
		}
		return nil, nil //nolint:nilnil // no check
	}
	check := c.given
	at, path, pathed := strings.Cut(c.text, "/")
	if pathed {
		check.Path = "/" + path
	}
	protocol, port, ported := strings.Cut(at, ":")
	check.Protocol = simcloud.HealthCheckProtocol(protocol)
	if !ported && c.ownPorts {
		return &check, nil
	}
	var err error
	if check.Port, err = strconv.Atoi(port); err != nil {
		return nil, exit.Usage(fmt.Errorf("--check %q is not PROTOCOL:PORT or PROTOCOL:PORT/PATH, such as http:10256/healthz", c.text))
	}
	return &check, nil
}
