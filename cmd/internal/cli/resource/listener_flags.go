package resource

import (
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// listenerFlags are the flags that configure a listener.
type listenerFlags struct {
	given   simcloud.ListenerConfig
	options optionFlags
	check   checkFlags
}

func (l *listenerFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&l.given.AllowedCIDRs, "allow", nil, "range that may connect; can be repeated (default: all)")
	f.BoolVar(&l.given.ProxyProtocol, "proxy-protocol", false, "PROXY protocol header, which tells the targets who connects")
	f.IntVar(&l.given.IdleTimeoutSeconds, "idle-timeout", 0, "seconds after which a silent connection ends (default: the cloud's)")
	l.options.add(f)
	l.check.add(f)
}

// config is the configuration that the flags ask for.
func (l *listenerFlags) config(targetPort int, group simcloud.ID) (simcloud.ListenerConfig, error) {
	config := l.given
	config.TargetPort, config.TargetGroup = targetPort, group
	options, err := l.options.options()
	if err != nil {
		return config, err
	}
	config.Options = options
	config.HealthCheck, err = l.check.healthCheck()
	return config, err
}
