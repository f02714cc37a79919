// Package config is the cloud config: how its file is read, what its values
// may be, and whether the cloud has what it names.
package config

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
	// Project, when set, must be the project that the token is for; while it is
	// not, no Node is taken to be gone.
	Project simcloud.ID
	// Region, when set, is the one that all instances must be in.
	Region simcloud.ID
	// Network is where load balancers and routes go; empty for the cloud's first.
	Network simcloud.ID
	// RouteTable is where routes go; empty for the only one of the network.
	RouteTable simcloud.ID
	// Timeout bounds each attempt at a call of the cloud. It defaults to 10s.
	Timeout time.Duration
	// Retries is how many more attempts a call has that may be made again and
	// may end better: without an answer, or when the cloud asks to come back. It
	// defaults to 4.
	Retries int
	// RetryBackoff is the wait before the first of these attempts. It doubles
	// with each, up to 10s, and chance takes up to half of it away. It defaults to 100ms.
	RetryBackoff time.Duration
	// HealthGracePeriod is how long the cloud may not answer before the check
	// "cloud" of /healthz fails. It defaults to 1m.
	HealthGracePeriod time.Duration
	// NodeGracePeriod is how long after its creation a Node that was never
	// initialised is kept although the cloud does not know its instance (yet).
	// It defaults to 1m.
	NodeGracePeriod time.Duration
	// InstanceListAge is how long the answer of one lookup of instances serves
	// for others, so that a pass over all Nodes costs a few lists and not a call
	// for each. With 0 nothing is shared. It defaults to 2s.
	InstanceListAge time.Duration
	// InstancesV1 has the controllers look after Nodes by the interfaces
	// Instances and Zones, as they did before InstancesV2. It is for trying old paths.
	InstancesV1 bool
	// NodeLabelPrefix is what the labels of an instance begin with that its Node
	// gets when it is initialised; empty for none. It defaults to NodeLabelPrefix.
	NodeLabelPrefix string
	// RouteNextHop is what routes lead to: RouteToInstance, the default, or RouteToAddress.
	RouteNextHop RouteNextHop
	// LoadBalancer is what load balancers are like whose Service does not say.
	LoadBalancer LoadBalancer
}

// LoadBalancer are what annotations of a Service can say otherwise.
type LoadBalancer struct {
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
	// FloatingIPPool is where IPv4 addresses come from; empty for the cloud's first of that family.
	FloatingIPPool string
	// FloatingIPPoolV6 is where IPv6 addresses come from; empty for the cloud's first of that family.
	FloatingIPPoolV6 string
}

// RouteNextHop is what the routes to the pods of a Node lead to.
type RouteNextHop string

// What routes can lead to.
const (
	// RouteToInstance leads to the Node's instance, whatever its addresses
	// become. The cloud knows such a route for a blackhole once the instance is gone.
	RouteToInstance RouteNextHop = "instance"
	// RouteToAddress leads to the Node's first InternalIP of the route's
	// family, and follows it. Nodes that are no instance of the cloud get routes, too.
	RouteToAddress RouteNextHop = "address"
)

// NodeLabelPrefix is what the labels of an instance begin with that its Node
// gets too, when it is initialised: node.simcloud.dev/tier=gold on an instance
// is node.simcloud.dev/tier=gold on its Node. nodeLabelPrefix of the cloud
// config takes its place. A label that the Node has is not changed, and later
// changes of an instance's labels are not followed.
const NodeLabelPrefix = "node.simcloud.dev/"

// Default is the config of an empty file. It lacks what is required.
func Default() Config {
	return Config{
		Timeout:           10 * time.Second,
		Retries:           4,
		RetryBackoff:      100 * time.Millisecond,
		HealthGracePeriod: time.Minute,
		NodeGracePeriod:   time.Minute,
		InstanceListAge:   2 * time.Second,
		NodeLabelPrefix:   NodeLabelPrefix,
		RouteNextHop:      RouteToInstance,
		LoadBalancer:      LoadBalancer{Algorithm: simcloud.RoundRobin},
	}
}

// Load reads the cloud config from a file. Errors name the file, the line and the key.
func Load(path string) (Config, error) {
	if path == "" {
		return Config{}, fmt.Errorf("--cloud-config is empty: give the path of a YAML file with endpoint and tokenFile")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("--cloud-config: %w", err)
	}
	cfg, err := Parse(path, data)
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

// RestFraction is the part of instanceListAge that passes between two lists for the sake
// of names: Nodes that join together wait for one of them.
const RestFraction = 8
