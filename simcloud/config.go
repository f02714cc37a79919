package simcloud

// Config is how a cloud behaves, as far as it can be changed while it runs.
type Config struct {
	// Progression is how operations take their time.
	Progression Progression `json:"progression"`
	// Progressions are exceptions for kinds: instance, load_balancer, volume and
	// route_table. Without one, changes of routes take no time.
	Progressions map[Kind]Progression `json:"progressions,omitempty"`
	Consistency  Consistency          `json:"consistency"`
	// Rates limit how often a token or a project may call; a call counts in each class that it is in.
	Rates []Rate `json:"rates,omitempty"`
	// IdempotencyTTL is how long the answers to calls with an idempotency key
	// are kept, by the cloud's clock; at most 16,384 of each project.
	IdempotencyTTL Duration `json:"idempotencyTTL"`
	// MaxTargets is how many targets a new load balancer takes; 0 means any
	// number. One more answers Capacity.
	MaxTargets int `json:"maxTargets,omitempty"`
	// LoadBalancerClasses are what a load balancer's class can be, the first of them
	// by default; without any its class is any word. A change is for load balancers
	// that are made, or get a class, from then on.
	LoadBalancerClasses []LoadBalancerClass `json:"loadBalancerClasses,omitempty"`
	// UniqueNames are the kinds whose names are unique in a project. To create or
	// rename one of them to a name that another has answers AlreadyExists; those
	// that had one name before stay. Clouds differ here: Hetzner refuses a second
	// server or load balancer of a name, OpenStack accepts any number.
	UniqueNames []Kind `json:"uniqueNames,omitempty"`
	// ChangesWhileBusy are the kinds of which a change is taken while another operation makes or changes the
	// resource, which then goes on as before; else the change answers Locked. Clouds differ here too: AWS takes
	// changes of a load balancer that it provisions, OpenStack refuses them. It can have load_balancer;
	// instance, of which UpdateInstance is then taken; and floating_ip: then an operation on an instance or a load
	// balancer locks neither the attachment nor the detachment of floating IPs. OpenStack has the last two. A deletion
	// answers Locked all the same, and so does an attachment to what is being deleted; an instance takes changes
	// until it is gone.
	ChangesWhileBusy []Kind `json:"changesWhileBusy,omitempty"`
	// KeepIDs lets ids go on over Reset and LoadSnapshot: no id of before names
	// something else, as in clouds that give an id once. Without it ids begin again
	// after a reset, so that runs from one seed can be compared. The network
	// and the route table that each cloud begins with keep their ids.
	KeepIDs bool `json:"keepIDs,omitempty"`
	// RouteRules are what new routes have to comply with; those that were there before stay.
	RouteRules []RouteRule `json:"routeRules,omitempty"`
	// MaxRoutes is how many routes a new route table takes that does not say; 0 means DefaultRouteLimit.
	MaxRoutes int `json:"maxRoutes,omitempty"`
	// DialectVariants are the answers that are chosen to what is not known of other clouds, by the
	// names of [DialectVariants]. What is not here is the first of its values.
	DialectVariants map[string]string `json:"dialectVariants,omitempty"`
	// Hostnames is the hostname of a new instance whose spec has none; empty means HostnameName. Instances
	// that were there before keep theirs.
	Hostnames HostnameForm `json:"hostnames,omitempty"`
	// MaxSecurityGroupRules is how many rules a security group takes; 0 means DefaultSecurityGroupRules.
	MaxSecurityGroupRules int `json:"maxSecurityGroupRules,omitempty"`
	// DefaultSecurityGroups gives an instance that is created without groups the group of its network that
	// is called default, as at AWS and OpenStack. The group is made with the first such instance, if the network
	// has none; it lets in all that has the group and everything out, and is deleted with the network.
	DefaultSecurityGroups bool `json:"defaultSecurityGroups,omitempty"`
}

// HostnameForm is how a cloud calls the inside of its instances.
type HostnameForm string

// The forms of hostnames. Those of EC2 end in REGION.compute.internal, or in ec2.internal in the region us-east-1.
const (
	// HostnameName is the name of the instance.
	HostnameName HostnameForm = "name"
	// HostnamePrivateDNS has the first private IPv4 address: ip-10-0-0-5.region-1.compute.internal. An
	// instance without such an address gets HostnameResourceID.
	HostnamePrivateDNS HostnameForm = "private_dns"
	// HostnameResourceID has the id of the instance: i-7.region-1.compute.internal.
	HostnameResourceID HostnameForm = "resource_id"
)

// RouteRule is a rule for new routes that some clouds have.
type RouteRule string

// The rules for new routes.
const (
	// RouteNoOverlap: the destination overlaps no subnet of the network and no other
	// route of the table, or else the answer is AlreadyExists; and a new subnet
	// overlaps no route, or else it is Conflict. A default route overlaps nothing.
	RouteNoOverlap RouteRule = "no_overlap"
	// RouteGatewayInNetwork: the next hop is an instance or an address of the
	// table's network, but not the first address of a range.
	RouteGatewayInNetwork RouteRule = "gateway_in_network"
	// RoutePrivateDestination: the destination is a part of a private range (RFC
	// 1918, RFC 4193) or a default route.
	RoutePrivateDestination RouteRule = "private_destination"
)

// LoadBalancerClass is an offering of load balancers. A limit of 0 means any
// number; those of connections and certificates are told and not enforced.
type LoadBalancerClass struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// MaxTargets limits the targets of a load balancer: one more answers Capacity.
	MaxTargets int `json:"maxTargets,omitempty"`
	// MaxListeners limits the listeners of a load balancer: one more answers Capacity.
	MaxListeners    int `json:"maxListeners,omitempty"`
	MaxConnections  int `json:"maxConnections,omitempty"`
	MaxCertificates int `json:"maxCertificates,omitempty"`
	// Deprecated tells that the class will end. It can still be had.
	Deprecated bool `json:"deprecated,omitempty"`
}

// ConfigUpdate changes what is not nil.
type ConfigUpdate struct {
	Progression *Progression `json:"progression,omitempty"`
	// Progressions replaces all exceptions.
	Progressions   *map[Kind]Progression `json:"progressions,omitempty"`
	Consistency    *Consistency          `json:"consistency,omitempty"`
	Rates          *[]Rate               `json:"rates,omitempty"`
	IdempotencyTTL *Duration             `json:"idempotencyTTL,omitempty"`
	MaxTargets     *int                  `json:"maxTargets,omitempty"`
	// LoadBalancerClasses replaces all classes.
	LoadBalancerClasses *[]LoadBalancerClass `json:"loadBalancerClasses,omitempty"`
	// UniqueNames replaces all kinds.
	UniqueNames *[]Kind `json:"uniqueNames,omitempty"`
	// ChangesWhileBusy replaces all kinds.
	ChangesWhileBusy *[]Kind `json:"changesWhileBusy,omitempty"`
	KeepIDs          *bool   `json:"keepIDs,omitempty"`
	// RouteRules replaces all rules.
	RouteRules *[]RouteRule `json:"routeRules,omitempty"`
	MaxRoutes  *int         `json:"maxRoutes,omitempty"`
	// DialectVariants replaces all that are chosen.
	DialectVariants *map[string]string `json:"dialectVariants,omitempty"`
	// Hostnames changes the hostnames of instances that are made from then on.
	Hostnames             *HostnameForm `json:"hostnames,omitempty"`
	MaxSecurityGroupRules *int          `json:"maxSecurityGroupRules,omitempty"`
	// DefaultSecurityGroups is for instances that are created from then on.
	DefaultSecurityGroups *bool `json:"defaultSecurityGroups,omitempty"`
}

// Consistency is how far what is read may be behind what was written. The zero
// value is a cloud in which every read shows the latest write. It is for the lists
// and gets of API, but those of quotas and tokens; changes, waiting, events and Control go by what there is.
type Consistency struct {
	// StaleLists and StaleGets show lists and single resources as they were that
	// long ago, as far as the cloud remembers: nothing from before it was opened or reset.
	StaleLists Duration `json:"staleLists,omitempty"`
	StaleGets  Duration `json:"staleGets,omitempty"`
	// HideNew keeps new resources out of lists, and unknown to gets, for that long.
	HideNew Duration `json:"hideNew,omitempty"`
}

// Rate is a token bucket for each token of the cloud, or for each project.
type Rate struct {
	// Class is the calls that it counts: "read", "write", or a glob of operations such as "Create*".
	Class string `json:"class"`
	// PerSecond is how fast the bucket fills, by the cloud's clock; Burst is how much it holds.
	PerSecond float64 `json:"perSecond"`
	Burst     int     `json:"burst"`
	// Scope is who shares a bucket; empty means each token has its own.
	Scope RateScope `json:"scope,omitempty"`
}

// RateScope is who shares the calls of a [Rate].
type RateScope string

// The scopes of rates.
const (
	RateOfToken   RateScope = "token"
	RateOfProject RateScope = "project" // all tokens of a project together, as at Hetzner
)
