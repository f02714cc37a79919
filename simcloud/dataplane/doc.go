// Package dataplane makes the load balancers of a cloud real: they listen on
// their VIPs and forward TCP and UDP to the addresses of their targets.
//
// A [Balancer] is told what to forward by [Balancer.Apply], and knows nothing
// of clouds. It never touches an address: what the machine cannot listen on is
// said in its status.
package dataplane
