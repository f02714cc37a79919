package conformance

// clause is one promise of a cloud controller manager. The scenarios that
// check it have its id as their label "clause".
type clause struct {
	// ID is a letter for the area and a number, such as "N01".
	ID string
	// Case is the situation, Must what a CCM must make of it.
	Case, Must string
	// Source is where the promise comes from: tests or code of k8s.io/cloud-provider
	// and Kubernetes, or issues of real CCMs that broke it.
	Source string
	// Packets marks a case that needs real traffic, which the embedded backend has not.
	Packets bool
}

// clauseArea is a group of clauses, by the letter that their ids begin with.
type clauseArea struct {
	// Name is the label "area" of its scenarios.
	Letter, Name, Title string
	Clauses             []clause
}

// Where promises come from that have no issue.
const (
	fromTests    = "tests of Kubernetes"
	fromContract = "code of k8s.io/cloud-provider"
)

// clauses returns the conformance suite's clauses by area.
func clauses() []clauseArea {
	return []clauseArea{
		{"N", "node", "Node initialisation", nodeClauses},
		{"L", "lifecycle", "Node life", lifecycleClauses},
		{"S", "service", "Services and load balancers", serviceClauses},
		{"R", "route", "Routes", routeClauses},
		{"P", "process", "The process", processClauses},
	}
}

// Areas are the names of the areas of clauses.
func Areas() []string {
	var names []string
	for _, area := range clauses() {
		names = append(names, area.Name)
	}
	return names
}

// ClauseIDs are the ids of all clauses, in their order.
func ClauseIDs() []string {
	var ids []string
	for _, area := range clauses() {
		for _, c := range area.Clauses {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

var nodeClauses = []clause{
	{ID: "N01", Case: "a tainted Node with a VM", Must: "set provider id, labels of type, zone and region, and addresses, then remove the taint", Source: fromTests},
	{ID: "N02", Case: "a Node without the taint", Must: "neither ask the cloud nor change it", Source: fromTests},
	{ID: "N03", Case: "the VM is not to be seen yet, and then is", Must: "keep the Node and its taint, then initialise it", Source: "kubernetes#58334, kubernetes#81636, azure#10604"},
	{ID: "N04", Case: "a passing error when the VM is read", Must: "keep the taint until the Node has provider id and addresses", Source: "kubernetes#122286, kubernetes#123024, kubernetes#123401"},
	{ID: "N05", Case: "the kubelet was given its address (provided-node-ip)", Must: "put that address first; keep the taint while the VM has no such address", Source: fromTests + "; equinix#193"},
	{ID: "N06", Case: "the provider id is there already", Must: "keep it; never delete a Node of another provider", Source: fromTests + "; vsphere#538"},
	{ID: "N07", Case: "the VM gets another address later", Must: "update the Node's addresses, and write nothing when nothing differs", Source: "openstack#1954, azure#3586"},
	{ID: "N08", Case: "the VM is resized", Must: "nothing: labels are set once", Source: "kubernetes#129879"},
	{ID: "N09", Case: "the provider has labels of its own for a Node", Must: "add them, never over others and never in Kubernetes' own domains", Source: fromTests},
	{ID: "N10", Case: "two VMs have the Node's name, or it differs in case or domain", Must: "never take the wrong VM", Source: "issues of many CCMs"},
	{ID: "N11", Case: "many VMs on several pages, many Nodes join at once", Must: "initialise all, with a bounded number of calls", Source: "hcloud#661, cloudstack#99, kubernetes#75016"},
	{ID: "N12", Case: "the API server refuses or conflicts while a Node is initialised", Must: "come to the same end", Source: fromContract},
}

var lifecycleClauses = []clause{
	{ID: "L01", Case: "the VM is deleted and the Node is not ready", Must: "delete the Node within two monitor periods, with an Event", Source: fromTests},
	{ID: "L02", Case: "the VM is deleted and the Node still says that it is ready", Must: "keep the Node until it is not", Source: fromTests},
	{ID: "L03", Case: "the VM is stopped", Must: "taint the Node as shut down, and keep it with all it has", Source: fromTests + "; azure#4428"},
	{ID: "L04", Case: "the VM is started again", Must: "remove the taint when the Node is ready", Source: fromTests},
	{ID: "L05", Case: "the cloud answers with any error while the Node is not ready", Must: "keep the Node", Source: "vsphere#479, oci#57, azure#2880"},
	{ID: "L06", Case: "a list of the cloud is short or cut", Must: "keep the Nodes", Source: "cloudstack#99, kubernetes#22094"},
	{ID: "L07", Case: "the VM is recreated with the same name", Must: "delete the old Node, which its provider id identifies, and take the new one", Source: fromContract},
	{ID: "L08", Case: "the VM goes before the Node was initialised", Must: "delete the Node in the end", Source: "openstack#3114, kubernetes#141364"},
	{ID: "L09", Case: "a Node of another provider is not ready", Must: "keep it", Source: "vsphere#538, kwok#726"},
	{ID: "L10", Case: "the VM is in an unusual state", Must: "keep the Node: only what is deleted is gone", Source: "kubernetes#45118, kubernetes#79435, oci#127"},
	{ID: "L11", Case: "the CCM may not delete Nodes", Must: "report an Event, go on, and delete when it may", Source: "openstack#3225"},
	{ID: "L12", Case: "the cloud is out for long and no Node is ready", Must: "delete none", Source: "kubernetes#13412"},
	{ID: "L13", Case: "the cloud does not answer about one VM", Must: "go on with the others", Source: "issues of clients without a time-out"},
	{ID: "L14", Case: "a new VM stays unseen beyond the first look", Must: "keep the Node for a while", Source: "kubernetes#58334, aws#1024"},
}

var serviceClauses = []clause{
	{ID: "S01", Case: "a Service of any protocol and IP family is made", Must: "make a load balancer with its ports and nodes, tell its addresses, and set the finalizer", Source: fromTests},
	{ID: "S02", Case: "a Service changes its type and its ports", Must: "keep the address while there is a load balancer, and remove it in the end", Source: fromTests},
	{ID: "S03", Case: "a Service is deleted", Must: "remove all that was made for it, then the finalizer", Source: fromTests + "; kubernetes#56313, aws#566"},
	{ID: "S04", Case: "ports come, go and change", Must: "change just those listeners", Source: fromTests},
	{ID: "S05", Case: "source ranges are set, changed and removed", Must: "let in just those", Source: fromTests},
	{ID: "S06", Case: "session affinity is switched on and off", Must: "have the load balancer follow", Source: fromTests},
	{ID: "S07", Case: "externalTrafficPolicy is switched to Local and back", Must: "check the nodes' health at the healthCheckNodePort, and again at the node port", Source: fromTests + "; scaleway#192, openstack#1971"},
	{ID: "S08", Case: "externalTrafficPolicy is Local", Must: "send traffic to nodes with endpoints alone", Source: fromTests, Packets: true},
	{ID: "S09", Case: "nodes come, go, and are excluded", Must: "keep the targets equal to the nodes that count", Source: fromTests},
	{ID: "S10", Case: "a Service has no node ports", Must: "serve it, or say why not", Source: fromTests},
	{ID: "S11", Case: "a Service has the class of another controller", Must: "leave it alone", Source: fromTests},
	{ID: "S12", Case: "the load balancer takes its time", Must: "tell the address when it is active, and make no second one", Source: "openstack#2066, openstack#1052"},
	{ID: "S13", Case: "the load balancer ends in an error", Must: "recreate it or report the error; it can be deleted", Source: "openstack#2541, openstack#2036, oci#175"},
	{ID: "S14", Case: "another client deletes the load balancer", Must: "recreate it at the next occasion, and allow the Service to be deleted", Source: "openstack#1912, openstack#1931"},
	{ID: "S15", Case: "the answer to a creation is lost", Must: "end with one load balancer", Source: "openstack#2165, digitalocean#103"},
	{ID: "S16", Case: "the CCM is killed at any call", Must: "end as if it had not been, and leak nothing", Source: "kubernetes#53451, kubernetes#78124"},
	{ID: "S17", Case: "two clusters have a Service of the same name", Must: "keep their load balancers apart", Source: "openstack#2241, hcloud#128, digitalocean#556"},
	{ID: "S18", Case: "the cloud refuses: a quota, a capacity, no nodes", Must: "report an Event, retry, and leak nothing", Source: "aws#566, kubernetes#109698"},
	{ID: "S19", Case: "a Service asks for an address that is free, in use, or invalid", Must: "take only what is free or its own", Source: fromTests + "; openstack#933, azure#9867"},
	{ID: "S20", Case: "the VM of a node is gone", Must: "skip it, and go on with the others", Source: "issues of several CCMs"},
	{ID: "S21", Case: "another client has added a target or listener", Must: "leave it alone", Source: "hcloud#249, linode#197, openstack#2699"},
	{ID: "S22", Case: "many Services come at once", Must: "serve all, and lose no update", Source: "issues of several CCMs"},
	{ID: "S23", Case: "a Service is deleted while its load balancer is being made, and made again", Must: "remove the first one and make a new one", Source: "openstack#576, openstack#821"},
	{ID: "S24", Case: "a Node gets its provider id later", Must: "make it a target then", Source: "issues of several CCMs"},
	{ID: "S25", Case: "a Service that is being deleted has another's finalizer", Must: "make no load balancer for it again", Source: "gcp#981"},
	{ID: "S26", Case: "the load balancer is busy at every call", Must: "try again, and end well", Source: "openstack#1636"},
	{ID: "S27", Case: "a Deployment behind a Service is rolled", Must: "lose no connection", Source: fromTests, Packets: true},
}

var routeClauses = []clause{
	{ID: "R01", Case: "a Node has a podCIDR", Must: "make its route, and say that the network is there", Source: fromTests},
	{ID: "R02", Case: "a Node has podCIDRs of both families", Must: "make a route for each", Source: fromTests},
	{ID: "R03", Case: "a Node goes and its podCIDR is another's then", Must: "lead the route to the new Node, without flapping", Source: fromTests + "; issues of several CCMs"},
	{ID: "R04", Case: "the route table is full", Must: "report it, serve the others, and go on when there is room", Source: "kubernetes#40307, kops#4918"},
	{ID: "R05", Case: "the table has routes of others", Must: "keep those outside the cluster's range", Source: fromTests + "; hcloud#425"},
	{ID: "R06", Case: "the VM that a route leads to is gone", Must: "remove that route, and keep the others", Source: "hcloud#225, hcloud#107"},
	{ID: "R07", Case: "making a route fails once", Must: "make it at the next period", Source: fromContract},
	{ID: "R08", Case: "the route table is busy", Must: "try again, and end well", Source: "kubernetes#52398, gcp#482"},
	{ID: "R09", Case: "the address of a VM changes", Must: "have the route follow, once", Source: fromTests},
	{ID: "R10", Case: "there are many Nodes", Must: "list once a period, and make each route once", Source: "hcloud#384, kubernetes#26119"},
}

var processClauses = []clause{
	{ID: "P01", Case: "it is asked for its health, metrics and configuration", Must: "answer", Source: fromContract},
	{ID: "P02", Case: "the credentials are wrong or the cloud is down at the start", Must: "end with an error, or come back; never take the Nodes for gone", Source: "vsphere#479"},
	{ID: "P03", Case: "the token ends while it runs", Must: "read the new one and go on", Source: "kubernetes#44461, kubernetes#50446"},
	{ID: "P04", Case: "the leader changes in the middle of a creation", Must: "end with one load balancer", Source: fromContract},
	{ID: "P05", Case: "answers are malformed, null, empty, or have unknown values", Must: "not panic, and delete nothing", Source: "kubernetes#68209, hcloud#42, exoscale#53"},
	{ID: "P06", Case: "the cloud refuses calls for being too many", Must: "wait as it is told", Source: "hcloud#661, linode#276"},
	{ID: "P07", Case: "the cloud is restarted", Must: "go on, and write nothing", Source: fromContract},
	{ID: "P08", Case: "nothing happens", Must: "write nothing, and read little", Source: "azure#3586, hcloud#249"},
}
