// Package profile is what the harness knows of the CCM of a cloud: how it is
// started, what it calls Nodes, what it can do, and which rules its cloud has. Each
// is a YAML file of this package, or of a user's.
package profile

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/simcloud-dev/simcloud/e2e/subject"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/fault"
)

// Kind begins a profile's file, beside [scenarios.APIVersion].
const Kind = "Profile"

// Profile is what the harness knows of a CCM. The zero value is a CCM of which it knows nothing:
// one that may be able to do everything.
type Profile struct {
	Name, Description string
	// Like is the profile whose entries this one has where it says nothing else, one of Names or a file; empty for none.
	Like string
	// Binary is the program, as a path or as a name that is looked for in PATH. Without one it is
	// the one of the Subject, which is built from source, or else simcloud-ccm.
	Binary, Subject string
	// Args are its arguments, Env its assignments of variables, as NAME=value. Both may have the
	// placeholders of manager.Placeholders.
	Args, Env []string
	// Config are files that it gets, by name, with placeholders too. {config:NAME} is the path of one.
	Config map[string]string
	// Rights are what it may do in the cluster, beyond what simcloud-ccm may.
	Rights []rbacv1.PolicyRule
	// Naming is what it calls the things of its cloud.
	Naming observe.Naming
	// ServiceAnnotations are those that each Service gets that a scenario applies, unless it has them, such as
	// the kind of load balancer that is to be judged.
	ServiceAnnotations map[string]string
	// Capabilities are what it can do; nil means everything.
	Capabilities scenarios.CapabilitySet
	// Cloud are rules of its cloud that differ from those of a new one; nil for none.
	Cloud *simcloud.ConfigUpdate
	// NodeIPs is whether the kubelets of its cluster are told the private addresses of their VMs with --node-ip.
	NodeIPs bool
	// Known are the scenarios that it is known to fail.
	Known scenarios.KnownFailures
	// Writes are the resources of others that it is meant to write, or single fields of them, as globs of [observe.Writable]: the oracle
	// foreign-kept lets it change these, and not delete them.
	Writes []string
	// SkipOracles are the oracles that do not hold for it.
	SkipOracles []string
}

// document is a profile as its file has it.
type document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		// Like is the profile whose entries this one has where it says nothing else. What is by name is
		// added to: config and serviceAnnotations, env by its variables, and args by their flags. Another
		// list takes the place of the other one.
		Like         string                  `json:"like"`
		Description  string                  `json:"description"`
		Binary       string                  `json:"binary"`
		Subject      string                  `json:"subject"`
		Args         []string                `json:"args"`
		Env          []string                `json:"env"`
		Config       map[string]string       `json:"config"`
		Rights       []rbacv1.PolicyRule     `json:"rights"`
		Naming       naming                  `json:"naming"`
		Capabilities []string                `json:"capabilities"`
		Cloud        *simcloud.ConfigUpdate  `json:"cloud"`
		NodeIPs      bool                    `json:"nodeIPs"`
		Known        scenarios.KnownFailures `json:"known"`

		ServiceAnnotations map[string]string `json:"serviceAnnotations"`

		Writes      []string `json:"writes"`
		SkipOracles []string `json:"skipOracles"`
	} `json:"spec"`
}

type naming struct {
	ProviderID string `json:"providerID"`
	Zone       string `json:"zone"`
	Region     string `json:"region"`
	NodeName   string `json:"nodeName"`
	// LoadBalancer is what a load balancer is known by: floatingIP, or nothing for all of its addresses.
	LoadBalancer string `json:"loadBalancer"`
	// RouteCalls are operations of the dialect, such as "ec2:ModifyInstanceAttribute".
	RouteCalls []string `json:"routeCalls"`
	// TargetCalls are operations of the dialect, such as "octavia:UpdateMembers".
	TargetCalls []string `json:"targetCalls"`
}

// byFloatingIP is the naming of load balancers by their floating IPs alone.
const byFloatingIP = "floatingIP"

// hostnames are what the machines of a cloud can be called, and so their Nodes, as profiles name it.
var hostnames = map[string]simcloud.HostnameForm{
	"name": simcloud.HostnameName, "privateDNSName": simcloud.HostnamePrivateDNS, "resourceName": simcloud.HostnameResourceID,
}

//go:embed *.yaml
var files embed.FS

// Names are the profiles that simcloud has, sorted.
func Names() []string {
	all, _ := fs.Glob(files, "*.yaml") // the pattern is a good one
	for i, name := range all {
		all[i] = strings.TrimSuffix(name, ".yaml")
	}
	slices.Sort(all)
	return all
}

// Find returns the profile that a word names: one of [Names], or a file of a user, which ends with .yaml. With
// "=PATH" after it the program is that one. Its error says what would be right.
func Find(word string) (Profile, error) {
	name, binary, replaced := strings.Cut(word, "=")
	p, err := find(name)
	if err != nil {
		return Profile{}, err
	}
	if replaced && binary == "" {
		return Profile{}, fmt.Errorf("%q has no program after the '=': want %s=PATH", word, name)
	}
	if replaced {
		p.Binary = binary
	}
	return p, nil
}

func find(name string) (Profile, error) {
	switch {
	case slices.Contains(Names(), name):
		raw, err := files.ReadFile(name + ".yaml")
		if err != nil {
			return Profile{}, err
		}
		return Parse(name+".yaml", raw)
	case path.Ext(name) == ".yaml":
		raw, err := os.ReadFile(name)
		if err != nil {
			return Profile{}, err
		}
		return Parse(name, raw)
	}
	return Profile{}, fmt.Errorf("there is no profile %q: want one of %s, or a file that ends with .yaml", name, strings.Join(Names(), ", "))
}

// Parse reads the text of a file, whose name is for errors.
func Parse(file string, raw []byte) (Profile, error) {
	d, _, err := chain{sourceOf(file, raw)}.read()
	if err != nil {
		return Profile{}, fmt.Errorf("%s: %w", file, err)
	}
	if err := d.check(); err != nil {
		return Profile{}, fmt.Errorf("%s: %w", file, err)
	}
	p := Profile{
		Name: d.Metadata.Name, Description: d.Spec.Description, Like: d.Spec.Like, Binary: d.Spec.Binary, Subject: d.Spec.Subject,
		Args: d.Spec.Args, Env: d.Spec.Env, Config: d.Spec.Config, Rights: d.Spec.Rights,
		Naming: observe.Naming{
			ProviderID: d.Spec.Naming.ProviderID, Zone: d.Spec.Naming.Zone, Region: d.Spec.Naming.Region, RouteCalls: d.Spec.Naming.RouteCalls, TargetCalls: d.Spec.Naming.TargetCalls,
			FloatingIPs: d.Spec.Naming.LoadBalancer == byFloatingIP,
		},
		Cloud: d.cloud(), NodeIPs: d.Spec.NodeIPs, Known: d.Spec.Known, ServiceAnnotations: d.Spec.ServiceAnnotations,
		Writes: d.Spec.Writes, SkipOracles: d.Spec.SkipOracles,
	}
	if d.Spec.Capabilities != nil {
		p.Capabilities = scenarios.CapabilitySet{}
	}
	for _, name := range d.Spec.Capabilities {
		p.Capabilities[name] = true
	}
	return p, nil
}

// placeKnown says of entries which file has them.
func placeKnown(known scenarios.KnownFailures, file string) {
	for i := range known {
		known[i].Place = fmt.Sprintf("%s: spec.known[%d]", file, i)
	}
}

// cloud are the rules of the cloud, what its machines are called included.
func (d document) cloud() *simcloud.ConfigUpdate {
	form, given := hostnames[d.Spec.Naming.NodeName]
	if !given {
		return d.Spec.Cloud
	}
	var rules simcloud.ConfigUpdate
	if d.Spec.Cloud != nil {
		rules = *d.Spec.Cloud
	}
	rules.Hostnames = &form
	return &rules
}

// check finds everything that cannot be right.
func (d document) check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.APIVersion != scenarios.APIVersion || d.Kind != Kind {
		wrong("apiVersion %q and kind %q: want %s and %s", d.APIVersion, d.Kind, scenarios.APIVersion, Kind)
	}
	if d.Metadata.Name == "" {
		wrong("metadata.name is missing: want what reports are to call it")
	}
	for _, name := range d.Spec.Capabilities {
		if !slices.Contains(scenarios.CapabilityNames(), name) {
			wrong("spec.capabilities: there is no capability %q: want some of %s", name, strings.Join(scenarios.CapabilityNames(), ", "))
		}
	}
	for i, rule := range d.Spec.Rights {
		if len(rule.Verbs) == 0 || len(rule.Resources) == 0 || len(rule.APIGroups) == 0 {
			wrong(`spec.rights[%d] is no rule: want apiGroups, resources and verbs, such as {apiGroups: [""], resources: [services], verbs: [patch]}`, i)
		}
	}
	for _, pair := range d.Spec.Env {
		if name, _, found := strings.Cut(pair, "="); !found || name == "" {
			wrong("spec.env: %q is no assignment: want NAME=value", pair)
		}
	}
	for _, word := range d.Spec.Args {
		if argEntries.removes(word) {
			wrong("spec.args: %q removes a flag, and this profile is like no other: want a flag, or spec.like", word)
		}
	}
	d.Spec.Naming.check(wrong)
	if d.Spec.Naming.NodeName != "" && d.Spec.Cloud != nil && d.Spec.Cloud.Hostnames != nil {
		wrong("spec.naming.nodeName and spec.cloud.hostnames are two names for one thing: want one of them")
	}
	if d.Spec.Subject != "" {
		if _, err := subject.Find(d.Spec.Subject); err != nil {
			wrong("spec.subject: %w", err)
		}
		if d.Spec.Binary != "" {
			wrong("spec.subject and spec.binary are two programs: want one of them")
		}
	}
	d.checkOracles(wrong)
	for i, known := range d.Spec.Known {
		for _, mistake := range known.Mistakes() {
			wrong("spec.known[%d].%s", i, mistake)
		}
	}
	if d.Spec.Cloud != nil {
		if err := d.Spec.Cloud.Validate(); err != nil {
			wrong("spec.cloud: %w", err)
		}
	}
	return errors.Join(errs...)
}

// checkOracles finds what cannot be right of what the oracles are told.
func (d document) checkOracles(wrong func(format string, args ...any)) {
	for _, pattern := range d.Spec.Writes {
		if !slices.ContainsFunc(observe.Writable(), func(name string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }) {
			wrong("spec.writes: no resource and no field is named %q%s: want a kind as the journal names it, such as instance, or a field of it, such as instance.labels", pattern, words.Suggest(pattern, observe.Writable()))
		}
	}
	for _, name := range d.Spec.SkipOracles {
		if !slices.Contains(scenarios.Oracles(), name) {
			wrong("spec.skipOracles: there is no oracle %q: want some of %s", name, strings.Join(scenarios.Oracles(), ", "))
		}
	}
}

// check finds what cannot be right.
func (n naming) check(wrong func(format string, args ...any)) {
	for field, text := range map[string]string{"providerID": n.ProviderID, "zone": n.Zone, "region": n.Region} {
		if unknown := unknownField(text); unknown != "" {
			wrong("spec.naming.%s: %s in %q is no field of a VM: want some of %s", field, unknown, text, strings.Join(observe.NamingFields(), " "))
		}
	}
	if _, known := hostnames[n.NodeName]; !known && n.NodeName != "" {
		wrong("spec.naming.nodeName: invalid value %q: must be one of %s", n.NodeName, strings.Join(slices.Sorted(maps.Keys(hostnames)), ", "))
	}
	if by := n.LoadBalancer; by != "" && by != byFloatingIP {
		wrong("spec.naming.loadBalancer: invalid value %q: must be %s, or left out", by, byFloatingIP)
	}
	for field, calls := range map[string][]string{"routeCalls": n.RouteCalls, "targetCalls": n.TargetCalls} {
		for _, call := range calls {
			if !slices.ContainsFunc(fault.DialectOperations(), func(known string) bool { return strings.HasSuffix(known, ":"+call) }) {
				wrong("spec.naming.%s: no dialect has an operation %q: want names as in the journal, such as ec2:ModifyInstanceAttribute", field, call)
			}
		}
	}
}

// unknownField returns the first text in braces that stands for nothing.
func unknownField(text string) string {
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			return ""
		}
		text = text[open:]
		end := strings.IndexByte(text, '}') + 1
		if end == 0 {
			end = len(text)
		}
		if !slices.Contains(observe.NamingFields(), text[:end]) {
			return text[:end]
		}
		text = text[end:]
	}
}
