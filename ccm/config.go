package ccm

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Config is the cloud config: the file of --cloud-config.
type Config struct {
	// Endpoint is the URL of the cloud, such as http://127.0.0.1:8080. It is required.
	Endpoint string
	// TokenFile holds the token of the cloud. It is required. A relative path
	// begins at the folder of the config file.
	TokenFile string
	// CAFile holds the certificates to trust, for an https endpoint; empty for
	// the system's. A relative path begins at the folder of the config file.
	CAFile string
	// Project, when set, must be the project that the token is for.
	Project simcloud.ID
	// Region, when set, is the one that all instances must be in.
	Region simcloud.ID
	// Network is where load balancers and routes go; empty for the cloud's first.
	Network simcloud.ID
	// RouteTable is where routes go; empty for the only one of the network.
	RouteTable simcloud.ID
	// Timeout bounds each call of the cloud. It defaults to 10s.
	Timeout time.Duration
	// NodeGracePeriod is how long after its creation a Node that was never
	// initialised is kept although the cloud does not know its instance (yet).
	// It defaults to 1m.
	NodeGracePeriod time.Duration
	// LoadBalancer is what load balancers are like whose Service does not say.
	LoadBalancer LoadBalancerDefaults
}

// LoadBalancerDefaults are what annotations of a Service can say otherwise.
type LoadBalancerDefaults struct {
	// Internal gives load balancers an address of the network instead of a floating IP.
	Internal bool
	// Algorithm defaults to round_robin.
	Algorithm simcloud.Algorithm
	// IdleTimeout is how long a connection may be silent, in whole seconds; 0 for the cloud's default.
	IdleTimeout time.Duration
	// ProxyProtocol tells the targets of a TCP listener who connects.
	ProxyProtocol bool
	// Class is the cloud's offering; empty for its default.
	Class string
	// FloatingIPPool is where addresses come from; empty for the cloud's first.
	FloatingIPPool string
}

func defaultConfig() Config {
	return Config{
		Timeout:         10 * time.Second,
		NodeGracePeriod: time.Minute,
		LoadBalancer:    LoadBalancerDefaults{Algorithm: simcloud.RoundRobin},
	}
}

// LoadConfig reads the cloud config from a file. Errors name the file, the line and the key.
func LoadConfig(path string) (Config, error) {
	if path == "" {
		return Config{}, fmt.Errorf("--cloud-config is empty: the path of a YAML file with endpoint and tokenFile is right")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("--cloud-config: %w", err)
	}
	cfg, err := ParseConfig(path, data)
	if err != nil {
		return Config{}, err
	}
	cfg.TokenFile = besides(path, cfg.TokenFile)
	cfg.CAFile = besides(path, cfg.CAFile)
	return cfg, nil
}

// besides resolves a relative path against the folder of file.
func besides(file, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}
