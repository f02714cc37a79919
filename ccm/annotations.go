package ccm

// AnnotationPrefix begins all annotations of this provider. One of a Service
// that begins so and is not below is an error: a misspelt "internal" must not
// open a Service to the world.
const AnnotationPrefix = "service.simcloud.dev/"

// The annotations of a Service of type LoadBalancer.
const (
	// AnnotationInternal, "true" or "false": whether the load balancer gets an
	// address of the network instead of a floating IP. Changing it replaces the load balancer.
	AnnotationInternal = AnnotationPrefix + "internal"
	// AnnotationAlgorithm, "round_robin" or "least_connections": how a target is chosen.
	AnnotationAlgorithm = AnnotationPrefix + "algorithm"
	// AnnotationProxyProtocol, "true" or "false": whether TCP listeners tell
	// the targets who connects, by the PROXY protocol. UDP has none.
	AnnotationProxyProtocol = AnnotationPrefix + "proxy-protocol"
	// AnnotationIdleTimeout, a duration such as "90s": how long a connection may be silent.
	AnnotationIdleTimeout = AnnotationPrefix + "idle-timeout"
	// AnnotationIPMode, "VIP" or "Proxy": whether nodes may short-cut what their
	// pods send to the address, or have to send it through the load balancer.
	// Without it, "Proxy" with the PROXY protocol, which a short cut would
	// leave out, and "VIP" otherwise.
	AnnotationIPMode = AnnotationPrefix + "ip-mode"
	// AnnotationAddresses, such as "127.77.0.9" or "127.77.0.9,fd77::9": the
	// addresses to have, at most one of each family. One that a floating IP of
	// nobody's has already is borrowed: it is never deleted, and is free again
	// when the Service goes or asks for another. Otherwise a floating IP with
	// the address is made. One that is in use is refused. An internal load
	// balancer asks its network for the addresses, and is replaced when they
	// change. spec.loadBalancerIP asks for one address in the same way.
	AnnotationAddresses = AnnotationPrefix + "addresses"
	// AnnotationFloatingIPs, such as "fip-3" or "fip-3,fip-4": the ids of
	// floating IPs to borrow, at most one of each family.
	AnnotationFloatingIPs = AnnotationPrefix + "floating-ips"
	// AnnotationHealthCheckPath, such as "/ready": targets are healthy while
	// they answer a GET of it; without it, while they accept connections. Not
	// with externalTrafficPolicy Local, where kube-proxy is asked.
	AnnotationHealthCheckPath = AnnotationPrefix + "health-check-path"
	// AnnotationHealthCheckPort, the number of a TCP port of the Service, such
	// as "8080": the port whose node port is asked for all of them. Not with
	// externalTrafficPolicy Local, where kube-proxy is asked.
	AnnotationHealthCheckPort = AnnotationPrefix + "health-check-port"
	// AnnotationHealthCheckInterval, a duration from "1s" to "5m": how often a
	// target is asked. Without it, every 5s.
	AnnotationHealthCheckInterval = AnnotationPrefix + "health-check-interval"
	// AnnotationHealthCheckTimeout, a duration from "1s" that is no longer than
	// the interval: how long a target may take to answer. Without it, 3s, or
	// the interval if that is shorter.
	AnnotationHealthCheckTimeout = AnnotationPrefix + "health-check-timeout"
	// AnnotationHealthCheckThreshold, from "1" to "10": how many answers in a
	// row make a target healthy, or unhealthy. Without it, 3.
	AnnotationHealthCheckThreshold = AnnotationPrefix + "health-check-threshold"
	// AnnotationLoadBalancerID, such as "lb-3": the id of a load balancer that
	// somebody else has made, and that serves the Service. It is never deleted, and nothing of it
	// changes but the Service's own listeners and targets, and a label that
	// says who uses it. Its addresses become the Service's, and its scheme has
	// to be the one that the Service asks for. Several Services can use one.
	AnnotationLoadBalancerID = AnnotationPrefix + "load-balancer-id"
	// AnnotationShare, a word such as "edge": Services of the cluster with the
	// same word have one load balancer and its addresses together, each with
	// ports of its own, at most 60 of them. A port that another Service has is refused. What
	// concerns all of it (algorithm, session affinity, addresses) is as the oldest of them
	// asks; who asks for another scheme is refused. It goes with the last of them.
	AnnotationShare = AnnotationPrefix + "share"
)
