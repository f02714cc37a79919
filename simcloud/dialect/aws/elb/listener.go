package elb

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// listener is a listener of a request and of an answer.
type listener struct {
	Protocol         string `aws:"Protocol,required"`
	Port             int    `aws:"LoadBalancerPort,required"`
	InstanceProtocol string `aws:"InstanceProtocol"`
	InstancePort     int    `aws:"InstancePort,required"`
	Certificate      string `aws:"SSLCertificateId"`
}

// The options of a listener that the cloud keeps for the dialect.
const (
	optionInstanceProtocol = "aws-instance-protocol"
	optionCertificate      = "aws-certificate"
)

// protocols are those of listeners. HTTP and SSL are kept, and forwarded as TCP.
var protocols = map[string]simcloud.Protocol{
	"TCP": simcloud.ProtocolTCP, "SSL": simcloud.ProtocolTLS, "HTTP": simcloud.ProtocolHTTP, "HTTPS": simcloud.ProtocolHTTPS,
}

// normal is the listener as an answer has it. The CCM sends protocols in lower case.
func (l listener) normal() listener {
	l.Protocol = strings.ToUpper(l.Protocol)
	l.InstanceProtocol = strings.ToUpper(l.InstanceProtocol)
	if l.InstanceProtocol == "" {
		l.InstanceProtocol = l.Protocol
	}
	return l
}

// web is whether a protocol is one that looks into requests.
func web(protocol string) bool { return protocol == "HTTP" || protocol == "HTTPS" }

// secure is whether a listener in its normal form ends TLS.
func (l listener) secure() bool { return l.Protocol == "HTTPS" || l.Protocol == "SSL" }

// spec is what the cloud is asked for, with the check and the attributes of the load balancer.
func (l listener) spec(check *simcloud.HealthCheck, idleSeconds int) (simcloud.ListenerSpec, error) {
	l = l.normal()
	protocol, known := protocols[l.Protocol]
	_, knownThere := protocols[l.InstanceProtocol]
	switch {
	case !known || !knownThere:
		return simcloud.ListenerSpec{}, service.Refuse(simcloud.Invalid, "UnsupportedProtocol",
			"The protocols %.20q and %.20q of a listener are not both one of TCP, SSL, HTTP and HTTPS", l.Protocol, l.InstanceProtocol)
	case web(l.Protocol) != web(l.InstanceProtocol):
		return simcloud.ListenerSpec{}, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
			"A listener with the protocol %s cannot have the instance protocol %s", l.Protocol, l.InstanceProtocol)
	case l.secure() != (l.Certificate != ""):
		return simcloud.ListenerSpec{}, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
			"A listener with the protocol %s must have a certificate if it is HTTPS or SSL, and none otherwise", l.Protocol)
	}
	spec := simcloud.ListenerSpec{Protocol: protocol, Port: l.Port, ListenerConfig: simcloud.ListenerConfig{
		TargetPort: l.InstancePort, HealthCheck: check, IdleTimeoutSeconds: idleSeconds,
		Options: map[string]string{optionInstanceProtocol: l.InstanceProtocol},
	}}
	if l.Certificate != "" {
		spec.Options[optionCertificate] = l.Certificate
	}
	return spec, nil
}

// listenerOf shows a listener of the cloud; false for one that a classic load balancer cannot have.
func listenerOf(l simcloud.Listener) (listener, bool) {
	for name, protocol := range protocols {
		if protocol == l.Protocol {
			return listener{
				Protocol: name, Port: l.Port, InstancePort: l.TargetPort, InstanceProtocol: l.Options[optionInstanceProtocol], Certificate: l.Options[optionCertificate],
			}.normal(), true
		}
	}
	return listener{}, false
}

// listenersOf are those of a load balancer by their ports.
func listenersOf(lb simcloud.LoadBalancer) map[int]listener {
	all := map[int]listener{}
	for _, l := range lb.Listeners {
		if shown, ok := listenerOf(l); ok {
			all[l.Port] = shown
		}
	}
	return all
}

// findListener returns a load balancer and its listener of a port.
func findListener(c service.Call, name string, port int) (lb simcloud.LoadBalancer, l simcloud.Listener, err error) {
	if lb, err = find(c, name); err != nil {
		return lb, l, err
	}
	for _, l := range lb.Listeners {
		if _, ok := listenerOf(l); ok && l.Port == port {
			return lb, l, nil
		}
	}
	return lb, l, service.Refuse(simcloud.NotFound, "ListenerNotFound", "The listener with the port %d does not exist at load balancer %s", port, lb.Name)
}

type createListenersRequest struct {
	Name      string     `aws:"LoadBalancerName,required"`
	Listeners []listener `aws:"Listeners,required"`
}

// done is the answer to an action that only succeeds.
type done struct{}

// createListeners adds listeners. An equal one is there already.
func createListeners(c service.Call, in createListenersRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	have, meta := listenersOf(lb), &lb.Meta
	check, err := checkOf(lb).core()
	if err != nil {
		return out, nil, err
	}
	for _, l := range in.Listeners {
		switch other, taken := have[l.Port]; {
		case taken && other == l.normal():
			continue
		case taken:
			return out, nil, service.Refuse(simcloud.AlreadyExists, "DuplicateListener", "A listener already exists for %s with LoadBalancerPort %d, but with another protocol, instance port or certificate", lb.Name, l.Port)
		}
		spec, err := l.spec(check, attributesOf(lb).idleSeconds())
		if err != nil {
			return out, nil, err
		}
		spec.ProxyProtocol = proxied(lb, spec.TargetPort)
		made, err := c.Cloud.CreateListener(c.Ctx(), lb.ID, spec)
		if err != nil {
			return out, nil, err
		}
		meta = &made.Resource.Meta
	}
	return out, meta, nil
}

type deleteListenersRequest struct {
	Name  string `aws:"LoadBalancerName,required"`
	Ports []int  `aws:"LoadBalancerPorts,required"`
}

// deleteListeners removes the listeners of ports. One that is not there is removed already.
func deleteListeners(c service.Call, in deleteListenersRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.Name)
	if err != nil {
		return out, nil, err
	}
	meta := &lb.Meta
	for _, l := range lb.Listeners {
		if !slices.Contains(in.Ports, l.Port) {
			continue
		}
		changed, err := c.Cloud.DeleteListener(c.Ctx(), lb.ID, l.ID)
		if err != nil {
			return out, nil, err
		}
		meta = &changed.Resource.Meta
	}
	return out, meta, nil
}

type setCertificateRequest struct {
	Name        string `aws:"LoadBalancerName,required"`
	Port        int    `aws:"LoadBalancerPort,required"`
	Certificate string `aws:"SSLCertificateId,required"`
}

// setCertificate gives a listener that ends TLS another certificate.
func setCertificate(c service.Call, in setCertificateRequest) (out done, _ *simcloud.Meta, err error) {
	lb, l, err := findListener(c, in.Name, in.Port)
	if err != nil {
		return out, nil, err
	}
	if shown, _ := listenerOf(l); !shown.secure() {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest", "A listener with the protocol %s has no certificate: must be HTTPS or SSL", shown.Protocol)
	}
	return setOption(c, lb, l, optionCertificate, in.Certificate)
}
