package explore

import "fmt"

// rivalService makes a Service that asks for what another one has, and deletes it when the CCM has looked at it. A CCM must refuse it,
// and must leave to the other Service what it has.
type rivalService struct {
	plain
	// name is the Service that has it.
	name  string
	wants wants
}

// wants names what a rival asks for.
type wants string

const (
	wantsAddress  wants = "address"
	wantsBalancer wants = "balancer"
)

// needs is the capability without which a CCM does not know that a Service can ask for it.
func (w wants) needs() string {
	return map[wants]string{wantsAddress: "requestedAddress", wantsBalancer: "adoptedLoadBalancers"}[w]
}

func (o rivalService) about() string { return o.name }

func (o rivalService) legal(m *model) bool {
	s := m.services[o.name]
	return m.healthy() && s.wanted() && s.served
}

// apply notes that the rival is gone: finally deletes it where a step before has failed.
func (o rivalService) apply(m *model) { m.services[o.rival()] = &service{} }

func (o rivalService) rival() string { return fmt.Sprintf("%s-wants-%s", o.name, o.wants) }

func (o rivalService) steps(*model) []string {
	metadata, spec := "", fmt.Sprintf("type: LoadBalancer, selector: {app: rival}, ports: %s", ports(8443, 1))
	switch o.wants {
	case wantsAddress:
		spec += fmt.Sprintf(", loadBalancerIP: '${reachable(services[\"%s\"])[0]}'", o.name)
	case wantsBalancer:
		metadata = fmt.Sprintf(", annotations: {service.simcloud.dev/load-balancer-id: '%s'}", balancerOf(o.name))
	}
	return []string{
		fmt.Sprintf("apply: |\n  apiVersion: v1\n  kind: Service\n  metadata: {name: %s, namespace: $NAMESPACE%s}\n  spec: {%s}", o.rival(), metadata, spec),
		expectation("A CCM must not give a Service what another one has, and must report a Warning.", convergence,
			fmt.Sprintf(`events.exists(e, e.involvedObject.uid == services["%s"].metadata.uid && e.type == "Warning")`, o.rival())),
		"delete: service/" + o.rival(),
		expectation("A Service that was refused must be deletable.", unhurried, fmt.Sprintf(`!("%s" in services)`, o.rival())),
	}
}

// nameTaken deletes a Service, gives the name of its load balancer to one of another cluster, and creates the Service again. A CCM makes
// a load balancer for its own Service, or refuses to. Then the Service is deleted.
type nameTaken struct {
	noSimpler
	name string
}

func (nameTaken) about() string { return "another cluster" }

func (o nameTaken) legal(m *model) bool {
	s := m.services[o.name]
	return m.healthy() && s.wanted() && s.served && !s.shared && !m.slow && m.foreign&foreignNameMade == 0
}

func (o nameTaken) apply(m *model) {
	m.foreign |= foreignNameMade
	m.services[o.name].here = false
}

// What the CCM of the other cluster has made differs from what this one made by the UID of the Service, and by the port of its target.
const (
	otherUID  = "6f1c2a52"
	otherPort = 30443
)

func (o nameTaken) steps(*model) []string {
	return []string{
		fmt.Sprintf("capture:\n  uid: services[\"%s\"].metadata.uid.substring(0, 8)\n  own: %s", o.name, balancerExpression(o.name)),
		fmt.Sprintf("capture:\n  takenName: own.name.replace(uid, \"%[1]s\")\n  takenLabels: own.?labels.orValue({}).transformMap(key, value, value.replace(uid, \"%[1]s\"))", otherUID),
		"delete: service/" + o.name,
		expectation(becauseServiceGone, unhurried, fmt.Sprintf(`!("%s" in services)`, o.name)),
		fmt.Sprintf(`cloud: {operation: CreateLoadBalancer, args: {name: "${takenName}", labels: "${takenLabels}", listeners: [{protocol: tcp, port: 443, targetPort: %d}]}, capture: takenBy}`, otherPort),
		applyService(o.name, fmt.Sprintf("type: LoadBalancer, selector: {app: %s}, ports: %s", o.name, ports(80, 1))),
		expectation("A name says nothing of whose a load balancer is. A CCM must make one for its own Service, or refuse to with a Warning.", convergence,
			fmt.Sprintf(`has(services["%[1]s"].status.loadBalancer.ingress) || events.exists(e, e.involvedObject.uid == services["%[1]s"].metadata.uid && e.type == "Warning")`, o.name)),
		"delete: service/" + o.name,
		expectation(becauseServiceGone, unhurried, fmt.Sprintf(`!("%s" in services)`, o.name)),
	}
}

func (nameTaken) cleanup() []string {
	return []string{`cloud: {operation: DeleteLoadBalancer, args: {id: "${takenBy.resource.id}"}}`}
}
