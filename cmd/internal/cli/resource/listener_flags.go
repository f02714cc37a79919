package resource

import (
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// listenerFlags are the flags that configure a listener.
type listenerFlags struct {
	given   simcloud.ListenerConfig
	options []string
}

func (l *listenerFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&l.given.AllowedCIDRs, "allow", nil, "range that may connect; can be repeated (default: all)")
	f.BoolVar(&l.given.ProxyProtocol, "proxy-protocol", false, "PROXY protocol header, which tells the targets who connects")
	f.IntVar(&l.given.IdleTimeoutSeconds, "idle-timeout", 0, "seconds after which a silent connection ends (default: the cloud's)")
	f.StringArrayVar(&l.options, "option", nil, "option KEY=VALUE, which the cloud keeps and does not interpret; can be repeated")
}

// config is the configuration that the flags ask for.
func (l *listenerFlags) config(targetPort int) (simcloud.ListenerConfig, error) {
	config := l.given
	config.TargetPort = targetPort
	options, err := parsePairs("option", l.options)
	config.Options = options
	return config, err
}
