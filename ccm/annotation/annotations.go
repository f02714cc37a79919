// Package annotation is what a Service can ask for by its annotations, on top
// of the defaults of the cloud config.
package annotation

// Prefix begins all annotations of this provider. One of a Service
// that begins so and is not below is an error: a misspelt "internal" must not
// open a Service to the world.
const Prefix = "service.simcloud.dev/"

// The annotations of a Service of type LoadBalancer.
const (
	// Internal, "true" or "false": whether the load balancer gets an
	// address of the network instead of a floating IP. Changing it replaces the load balancer.
	Internal = Prefix + "internal"
	// Algorithm, "round_robin" or "least_connections": how a target is chosen.
	Algorithm = Prefix + "algorithm"
	// ProxyProtocol, "true" or "false": whether TCP listeners tell
	// the targets who connects, by the PROXY protocol. UDP has none.
	ProxyProtocol = Prefix + "proxy-protocol"
	// IdleTimeout, a duration such as "90s": how long a connection may be silent.
	IdleTimeout = Prefix + "idle-timeout"
	// IPMode, "VIP" or "Proxy": whether nodes may short-cut what their
	// pods send to the address, or have to send it through the load balancer.
	// Without it, "Proxy" with the PROXY protocol, which a short cut would
	// leave out, and "VIP" otherwise.
	IPMode = Prefix + "ip-mode"
	// Addresses, such as "127.77.0.9" or "127.77.0.9,fd77::9": the
	// addresses to have, at most one of each family. One of an unowned
	// floating IP is borrowed: it is never deleted, and is free again
	// when the Service goes or asks for another. Otherwise a floating IP with
	// the address is made. One that is in use is refused. An internal load
	// balancer asks its network for the addresses, and is replaced when they
	// change. spec.loadBalancerIP asks for one address in the same way.
	Addresses = Prefix + "addresses"
	// FloatingIPs, such as "fip-3" or "fip-3,fip-4": the ids of
	// floating IPs to borrow, at most one of each family.
	FloatingIPs = Prefix + "floating-ips"
	// HealthCheckPath, such as "/ready": targets are healthy while
	// they answer a GET of it; without it, while they accept connections. Not
	// with externalTrafficPolicy Local, where kube-proxy is asked.
	HealthCheckPath = Prefix + "health-check-path"
	// HealthCheckPort, the number of a TCP port of the Service, such
	// as "8080": the port whose node port is asked for all of them. Not with
	// externalTrafficPolicy Local, where kube-proxy is asked.
	HealthCheckPort = Prefix + "health-check-port"
	// HealthCheckInterval, a duration from "1s" to "5m": how often a
	// target is asked. Without it, every 5s.
	HealthCheckInterval = Prefix + "health-check-interval"
	// HealthCheckTimeout, a duration from "1s" that is no longer than
	// the interval: how long a target may take to answer. Without it, 3s, or
	// the interval if that is shorter.
	HealthCheckTimeout = Prefix + "health-check-timeout"
	// HealthCheckThreshold, from "1" to "10": how many answers in a
	// row make a target healthy, or unhealthy. Without it, 3.
	HealthCheckThreshold = Prefix + "health-check-threshold"
	// LoadBalancerID, such as "lb-3": the id of a load balancer that
	// another client has made, and that serves the Service. It is never deleted, and nothing of it
	// changes but the Service's own listeners and targets, and a label that
	// says who uses it. Its addresses become the Service's, and its scheme has
	// to be the one that the Service asks for. Several Services can use one.
	LoadBalancerID = Prefix + "load-balancer-id"
	// Share, a word such as "edge": Services of the cluster with the
	// same word have one load balancer and its addresses together, each with
	// ports of its own, at most 60 of them. A port that another Service has is refused. What
	// concerns all of it (algorithm, session affinity, addresses) is as the oldest of them
	// asks; who asks for another scheme is refused. It goes with the last of them.
	Share = Prefix + "share"
)
