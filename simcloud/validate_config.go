package simcloud

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Validate checks the progression.
func (p Progression) Validate() error {
	var f fieldErrors
	f.progression("progression", p)
	return InvalidFields("config", f)
}

// maxPolls is how many reads an operation may take.
const maxPolls = 1000

func (f *fieldErrors) progression(field string, p Progression) {
	if p.Mode != "" {
		oneOf(f, field+".mode", p.Mode, ProgressionImmediate, ProgressionTime, ProgressionPolls)
	}
	f.duration(field+".duration", p.Duration, maxDuration)
	f.duration(field+".jitter", p.Jitter, maxDuration)
	switch {
	case p.Mode == ProgressionPolls && (p.Polls < 1 || p.Polls > maxPolls):
		f.add(field+".polls", "%d must be between 1 and %d", p.Polls, maxPolls)
	case p.Mode != ProgressionPolls && p.Polls != 0:
		f.add(field+".polls", "may only be set when mode is polls")
	case p.Mode != ProgressionTime && (p.Duration != 0 || p.Jitter != 0):
		f.add(field+".duration", "may only be set when mode is time")
	}
}

// progressive are the kinds whose operations can take time.
func progressive() []Kind { return []Kind{KindInstance, KindLoadBalancer, KindVolume, KindRouteTable} }

// named are the kinds whose resources have names that are not their ids, and can be unique.
func named() []Kind {
	return []Kind{
		KindNetwork, KindSubnet, KindInstance, KindVolume, KindSSHKey, KindLoadBalancer, KindFloatingIP, KindRouteTable, KindSecurityGroup,
		KindTargetGroup,
	}
}

// maxStale is how far a read can be behind. With it the cloud knows what to remember.
const maxStale = 10 * time.Minute

// maxRates is how many classes of calls there can be.
const maxRates = 64

// Validate checks the update.
func (u ConfigUpdate) Validate() error {
	var f fieldErrors
	if u.Progression != nil {
		f.progression("progression", *u.Progression)
	}
	if u.Progressions != nil {
		f.progressions(*u.Progressions)
	}
	if u.Consistency != nil {
		f.duration("consistency.staleLists", u.Consistency.StaleLists, maxStale)
		f.duration("consistency.staleGets", u.Consistency.StaleGets, maxStale)
		f.duration("consistency.hideNew", u.Consistency.HideNew, maxStale)
	}
	if u.Rates != nil {
		f.rates(*u.Rates)
	}
	if u.IdempotencyTTL != nil && (*u.IdempotencyTTL < Duration(time.Second) || *u.IdempotencyTTL > Duration(maxLifetime)) {
		f.add("idempotencyTTL", "%s is not in 1s to %s", *u.IdempotencyTTL, maxLifetime)
	}
	if u.MaxTargets != nil {
		f.nonNegative("maxTargets", *u.MaxTargets)
	}
	if u.MaxRoutes != nil {
		f.nonNegative("maxRoutes", *u.MaxRoutes)
	}
	if u.Hostnames != nil && *u.Hostnames != "" {
		oneOf(&f, "hostnames", *u.Hostnames, HostnameName, HostnamePrivateDNS, HostnameResourceID)
	}
	if u.MaxSecurityGroupRules != nil {
		f.nonNegative("maxSecurityGroupRules", *u.MaxSecurityGroupRules)
	}
	if u.LoadBalancerClasses != nil {
		f.loadBalancerClasses("loadBalancerClasses", *u.LoadBalancerClasses)
	}
	if u.DialectVariants != nil {
		f.variants("dialectVariants", *u.DialectVariants)
	}
	eachOnce(&f, "uniqueNames", u.UniqueNames, named()...)
	eachOnce(&f, "changesWhileBusy", u.ChangesWhileBusy, KindLoadBalancer, KindInstance, KindFloatingIP)
	eachOnce(&f, "routeRules", u.RouteRules, RouteNoOverlap, RouteGatewayInNetwork, RoutePrivateDestination)
	return InvalidFields("config", f)
}

// eachOnce checks that a list has nothing but what is allowed, and nothing twice.
func eachOnce[T ~string](f *fieldErrors, path string, list *[]T, allowed ...T) {
	if list == nil {
		return
	}
	for i, value := range *list {
		field := fmt.Sprintf("%s[%d]", path, i)
		oneOf(f, field, value, allowed...)
		if first := slices.Index(*list, value); first < i {
			f.add(field, "%s is %s[%d] already", value, path, first)
		}
	}
}

func (f *fieldErrors) progressions(exceptions map[Kind]Progression) {
	for _, kind := range slices.Sorted(maps.Keys(exceptions)) {
		oneOf(f, "progressions", kind, progressive()...)
		f.progression("progressions."+string(kind), exceptions[kind])
	}
}

func (f *fieldErrors) rates(rates []Rate) {
	if len(rates) > maxRates {
		f.add("rates", "%d classes are too many: at most %d", len(rates), maxRates)
	}
	for i, r := range rates {
		field := fmt.Sprintf("rates[%d].", i)
		f.class(field+"class", r.Class)
		if !(r.PerSecond > 0 && r.PerSecond <= 1e6) { // not the opposite: NaN is in no range
			f.add(field+"perSecond", "invalid rate %v: must be above 0 and at most 1e6", r.PerSecond)
		}
		if r.Burst < 1 || r.Burst > 1e6 {
			f.add(field+"burst", "%d must be between 1 and 1000000", r.Burst)
		}
		if r.Scope != "" {
			oneOf(f, field+"scope", r.Scope, RateOfToken, RateOfProject)
		}
	}
}

// maxClasses is how many classes of load balancers a cloud can have.
const maxClasses = 100

func (f *fieldErrors) loadBalancerClasses(path string, classes []LoadBalancerClass) {
	if len(classes) > maxClasses {
		f.add(path, "%d classes are too many: at most %d", len(classes), maxClasses)
	}
	first := map[string]int{}
	for i, class := range classes {
		field := fmt.Sprintf("%s[%d].", path, i)
		if class.Name == "" {
			f.add(field+"name", "must not be empty")
		}
		f.printable(field+"name", class.Name)
		f.printable(field+"description", class.Description)
		f.nonNegative(field+"maxTargets", class.MaxTargets)
		f.nonNegative(field+"maxListeners", class.MaxListeners)
		f.nonNegative(field+"maxConnections", class.MaxConnections)
		f.nonNegative(field+"maxCertificates", class.MaxCertificates)
		if other, taken := first[class.Name]; taken {
			f.add(field+"name", "%s is %s[%d] already", class.Name, path, other)
		}
		first[class.Name] = i
	}
}

// class checks that there are calls in a class.
func (f *fieldErrors) class(field, class string) {
	if class == "read" || class == "write" {
		return
	}
	for _, e := range endpoints {
		if class != "" && Glob(class, e.Operation) {
			return
		}
	}
	f.add(field, "%q is not read, write or a glob of operations such as Create*", class)
}

// maxSnapshotName is the longest name of a snapshot, which becomes that of a file.
const maxSnapshotName = 200

// Validate checks the spec.
func (s SnapshotSpec) Validate() error {
	var f fieldErrors
	if f.name("name", s.Name); len(f) == 0 && len(s.Name) > maxSnapshotName {
		f.add("name", "has %d bytes: must have at most %d", len(s.Name), maxSnapshotName)
	}
	return InvalidFields("snapshot", f)
}
