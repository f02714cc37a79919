package elb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
)

// The labels of a load balancer that have its policies: how each begins, before the name of a policy or the port
// of the instances.
const (
	labelPolicy  = service.Reserved + "policy/"  // the policy as JSON
	labelBackend = service.Reserved + "backend/" // names with spaces between them
)

// optionPolicies is the option of a listener that has the names of its policies.
const optionPolicies = "aws-policies"

// The types of policies that are simulated. Nothing is decrypted: a policy of the second type is kept and shown.
const (
	typeProxyProtocol = "ProxyProtocolPolicyType"
	typeSSL           = "SSLNegotiationPolicyType"
)

// attributeProxy is the attribute of a policy of the first type.
const attributeProxy = "ProxyProtocol"

// policyNames are what the name of a policy may be.
var policyNames = regexp.MustCompile(`^[A-Za-z0-9-]{1,128}$`)

// otherTypes are those that classic load balancers have besides.
var otherTypes = []string{
	"AppCookieStickinessPolicyType", "BackendServerAuthenticationPolicyType", "LBCookieStickinessPolicyType", "PublicKeyPolicyType",
}

// policy is a policy of a load balancer.
type policy struct {
	Name       string            `aws:"PolicyName" json:"-"`
	Type       string            `aws:"PolicyTypeName" json:"type"`
	Attributes []policyAttribute `aws:"PolicyAttributeDescriptions" json:"attributes,omitempty"`
}

type policyAttribute struct {
	Name  string `aws:"AttributeName,required" json:"name"`
	Value string `aws:"AttributeValue" json:"value,omitempty"`
}

// policies are those of a load balancer by their names.
type policies map[string]policy

func policiesOf(lb simcloud.LoadBalancer) policies {
	all := policies{}
	for key, value := range lb.Labels {
		name, is := strings.CutPrefix(key, labelPolicy)
		p := policy{Name: name}
		if is && json.Unmarshal([]byte(value), &p) == nil {
			all[name] = p
		}
	}
	return all
}

// named returns the policies that a request names. Each must be there, and of a type.
func (p policies) named(lb simcloud.LoadBalancer, names []string, policyType string) ([]policy, error) {
	var found []policy
	for _, name := range names {
		one, ok := p[name]
		switch {
		case !ok:
			return nil, service.Refuse(simcloud.NotFound, "PolicyNotFound", "There is no policy with name %.100s for load balancer %s", name, lb.Name)
		case policyType != "" && one.Type != policyType:
			return nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
				"The policy %s cannot be set here: its type is %s, and must be %s", name, one.Type, policyType)
		}
		found = append(found, one)
	}
	return found, nil
}

// proxies reports whether policies tell the instances where a connection comes from.
func proxies(chosen []policy) bool {
	return slices.ContainsFunc(chosen, func(p policy) bool {
		return p.Type == typeProxyProtocol && slices.Contains(p.Attributes, policyAttribute{attributeProxy, strconv.FormatBool(true)})
	})
}

// backendsOf are the ports of the instances that have policies. They have them also without a listener that forwards to them.
func backendsOf(lb simcloud.LoadBalancer) []backend {
	var all []backend
	for key, names := range lb.Labels {
		digits, is := strings.CutPrefix(key, labelBackend)
		if port, err := strconv.Atoi(digits); is && err == nil {
			all = append(all, backend{port, strings.Fields(names)})
		}
	}
	slices.SortFunc(all, func(a, b backend) int { return cmp.Compare(a.Port, b.Port) })
	return all
}

// proxied reports whether what is forwarded to a port of the instances begins with where it comes from.
func proxied(lb simcloud.LoadBalancer, port int) bool {
	have := policiesOf(lb)
	for _, b := range backendsOf(lb) {
		if b.Port == port {
			return slices.ContainsFunc(b.Policies, func(name string) bool { return proxies([]policy{have[name]}) })
		}
	}
	return false
}

type createPolicyRequest struct {
	LoadBalancer string            `aws:"LoadBalancerName,required"`
	Name         string            `aws:"PolicyName,required"`
	Type         string            `aws:"PolicyTypeName,required"`
	Attributes   []policyAttribute `aws:"PolicyAttributes"`
}

// createPolicy makes a policy. An equal one is there already: the CCM makes that of the proxy protocol at each sync.
func createPolicy(c service.Call, in createPolicyRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.LoadBalancer)
	if err != nil {
		return out, nil, err
	}
	made, err := in.policy()
	if err != nil {
		return out, nil, err
	}
	if have, taken := policiesOf(lb)[in.Name]; taken {
		if have.Type == made.Type && slices.Equal(have.Attributes, made.Attributes) {
			return out, &lb.Meta, nil
		}
		return out, nil, service.Refuse(simcloud.AlreadyExists, "DuplicatePolicyName", "A policy with name %s already exists for load balancer %s, with another type or other attributes", in.Name, lb.Name)
	}
	more := labels{}
	if err := more.putJSON(labelPolicy+in.Name, made, "PolicyAttributes"); err != nil {
		return out, nil, err
	}
	meta, err := relabel(c, lb, more)
	return out, meta, err
}

// policy is what the request asks for.
func (in createPolicyRequest) policy() (p policy, err error) {
	p = policy{Name: in.Name, Type: in.Type, Attributes: in.Attributes}
	slices.SortFunc(p.Attributes, func(a, b policyAttribute) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	switch {
	case !policyNames.MatchString(in.Name):
		return p, service.Refuse(simcloud.Invalid, "ValidationError", "PolicyName is %.150q: must have 1 to 128 letters, digits and hyphens", in.Name)
	case slices.Contains(otherTypes, in.Type):
		return p, service.Refuse(simcloud.Unimplemented, "PolicyTypeNotFound", "Policies of the type %s are not simulated: must be %s or %s", in.Type, typeProxyProtocol, typeSSL)
	case in.Type != typeProxyProtocol && in.Type != typeSSL:
		return p, service.Refuse(simcloud.NotFound, "PolicyTypeNotFound", "Policy type %.100q not found: must be %s or %s", in.Type, typeProxyProtocol, typeSSL)
	case in.Type == typeProxyProtocol && !in.setsProxy():
		return p, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
			"A policy of the type %s must have exactly one attribute, %s, with the value true or false", typeProxyProtocol, attributeProxy)
	}
	return p, nil
}

// setsProxy reports whether the request has what a policy of the proxy protocol needs.
func (in createPolicyRequest) setsProxy() bool {
	return len(in.Attributes) == 1 && in.Attributes[0].Name == attributeProxy && slices.Contains([]string{"true", "false"}, in.Attributes[0].Value)
}

type describePoliciesRequest struct {
	LoadBalancer string   `aws:"LoadBalancerName,required"`
	Names        []string `aws:"PolicyNames"`
}

type policyDescriptions struct {
	Policies []policy `aws:"PolicyDescriptions"`
}

// describePolicies shows policies of a load balancer. What AWS shows without one, the policies that it has for all, is not simulated.
func describePolicies(c service.Call, in describePoliciesRequest) (out policyDescriptions, err error) {
	lb, err := find(c, in.LoadBalancer)
	if err != nil {
		return out, err
	}
	have := policiesOf(lb)
	if len(in.Names) == 0 {
		in.Names = slices.Sorted(maps.Keys(have))
	}
	out.Policies, err = have.named(lb, in.Names, "")
	return out, err
}

type listenerPoliciesRequest struct {
	LoadBalancer string   `aws:"LoadBalancerName,required"`
	Port         int      `aws:"LoadBalancerPort,required"`
	Names        []string `aws:"PolicyNames"`
}

// setListenerPolicies gives a listener these policies, and no others.
func setListenerPolicies(c service.Call, in listenerPoliciesRequest) (out done, _ *simcloud.Meta, err error) {
	lb, l, err := findListener(c, in.LoadBalancer, in.Port)
	if err != nil {
		return out, nil, err
	}
	if _, err := policiesOf(lb).named(lb, in.Names, typeSSL); err != nil {
		return out, nil, err
	}
	if shown, _ := listenerOf(l); len(in.Names) > 0 && !shown.secure() {
		return out, nil, service.Refuse(simcloud.Invalid, "InvalidConfigurationRequest",
			"A policy of the type %s cannot be set at a listener with the protocol %s: must be HTTPS or SSL", typeSSL, shown.Protocol)
	}
	return setOption(c, lb, l, optionPolicies, strings.Join(in.Names, " "))
}

// setOption sets an option of a listener; an empty one is removed.
func setOption(c service.Call, lb simcloud.LoadBalancer, l simcloud.Listener, option, value string) (out done, _ *simcloud.Meta, err error) {
	config := l.ListenerConfig
	config.Options = map[string]string{}
	maps.Copy(config.Options, l.Options)
	config.Options[option] = value
	if value == "" {
		delete(config.Options, option)
	}
	changed, err := c.Cloud.UpdateListener(c.Ctx(), lb.ID, l.ID, config)
	return out, &changed.Resource.Meta, err
}

type backendPoliciesRequest struct {
	LoadBalancer string   `aws:"LoadBalancerName,required"`
	Port         int      `aws:"InstancePort,required"`
	Names        []string `aws:"PolicyNames"`
}

// setBackendPolicies gives a port of the instances these policies, and no others. All listeners that forward to it follow them. That a
// port may be one that no listener forwards to is not in AWS' documents: the CCM removes the policies of such ports.
func setBackendPolicies(c service.Call, in backendPoliciesRequest) (out done, _ *simcloud.Meta, err error) {
	lb, err := find(c, in.LoadBalancer)
	if err != nil {
		return out, nil, err
	}
	chosen, err := policiesOf(lb).named(lb, in.Names, typeProxyProtocol)
	if err != nil {
		return out, nil, err
	}
	if in.Port < 1 || in.Port > 65535 {
		return out, nil, service.Refuse(simcloud.Invalid, "ValidationError", "InstancePort is %d: must be between 1 and 65535", in.Port)
	}
	more := labels{}
	if err := more.put(labelBackend+strconv.Itoa(in.Port), strings.Join(in.Names, " "), "PolicyNames"); err != nil {
		return out, nil, err
	}
	for _, l := range lb.Listeners {
		if l.TargetPort != in.Port {
			continue
		}
		config := l.ListenerConfig
		config.ProxyProtocol = proxies(chosen)
		if _, err := c.Cloud.UpdateListener(c.Ctx(), lb.ID, l.ID, config); err != nil {
			return out, nil, fmt.Errorf("listener %s: %w", l.ID, err)
		}
	}
	meta, err := relabel(c, lb, more)
	return out, meta, err
}
