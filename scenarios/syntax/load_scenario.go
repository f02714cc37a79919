package syntax

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// nameRE is a DNS label of which a namespace can be made.
var nameRE = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

// scenarioDocument is a document with a scenario. As with verbs, the loader reads by its tags, and the
// schema is made of them.
type scenarioDocument struct {
	APIVersion apiVersion       `yaml:"apiVersion,required"`
	Kind       string           `yaml:"kind,required" enum:"Scenario"`
	Metadata   scenarioMetadata `yaml:"metadata,required"`
	Spec       scenarioSpec     `yaml:"spec,required"`
}

type scenarioMetadata struct {
	Name   scenarioName      `yaml:"name,required"`
	Labels map[string]string `yaml:"labels"`
}

type scenarioSpec struct {
	Description  string             `yaml:"description,required" doc:"which promise of a CCM the scenario checks"`
	Nodes        int                `yaml:"nodes,settable" doc:"the machines node-1 to node-N that exist when the steps begin"`
	Light        bool               `yaml:"light,settable" doc:"they are hollow nodes, without kubelets"`
	Packets      bool               `yaml:"packets" doc:"it needs pods with real traffic, and is skipped where there is none"`
	CCM          specCCM            `yaml:"ccm,settable"`
	Timeout      time.Duration      `yaml:"timeout,settable"`
	Parameters   scenarioParameters `yaml:"parameters"`
	Matrix       scenarioMatrix     `yaml:"matrix"`
	Steps        stepList           `yaml:"steps,required"`
	Finally      stepList           `yaml:"finally"`
	SkipOracles  []oracleName       `yaml:"skipOracles" item:"the name of an oracle"`
	Budget       budget             `yaml:"budget" doc:"how many calls the CCM may make, by operations or globs of such; the longest that matches counts"`
	Capabilities capabilityList     `yaml:"capabilities" doc:"what a CCM must be able to do for the scenario to apply to it"`
	KnownIssue   *knownIssue        `yaml:"knownIssue" doc:"a defect of one CCM that the scenario asserts, or that it guards against when it is fixed: it is skipped for all others"`
}

// specCCM is how the CCM is when the steps begin: a word, or a mapping with its settings too.
type specCCM struct {
	Word  string `yaml:",value" enum:"running,stopped"`
	State string `yaml:"state" enum:"running,stopped"`
	Settings
}

func (c specCCM) stopped() bool { return c.Word == "stopped" || c.State == "stopped" }

// mostMachines bounds the names that a wrong number of nodes makes.
const mostMachines = 10_000

// Check reads the steps. Those of finally come last whatever the order in the file: they know what the others capture.
func (s *scenarioSpec) Check(d *Decoder, _ *yaml.Node) {
	for i := range min(s.Nodes, mostMachines) {
		d.Machines = append(d.Machines, fmt.Sprintf("node-%d", i+1))
	}
	s.Steps.each(d, "steps", s.Steps.add(d))
	s.Steps.notEmpty(d)
	d.Tolerant = true
	s.Finally.each(d, "finally", s.Finally.add(d))
	d.Tolerant = false
	if verb := d.needsPackets; verb != nil && !s.Packets {
		d.ErrorAt(verb.at, "%s needs packets: true in the spec, because most backends have no traffic between pods", verb.verb)
	}
}

func (d *Decoder) scenario(n *yaml.Node) *scenarios.Scenario {
	compiler, err := expr.NewCompiler()
	if err != nil {
		d.Errorf(n, "%v", err) // a defect of this package, which any test of it shows
		return nil
	}
	d.Expr, d.Faults, d.Traffics, d.needsPackets, d.usesCloudConfig, d.DelaysCCM, d.LagsAPI = compiler, nil, nil, nil, false, false, false
	d.Machines, d.AnyMachine = nil, false
	d.beginScenario()
	document := scenarioDocument{Spec: scenarioSpec{Timeout: scenarios.DefaultTimeout}}
	d.read(n, "the scenario", reflect.ValueOf(&document).Elem())
	name, spec := string(document.Metadata.Name), document.Spec
	s := &scenarios.Scenario{
		Name: name, Base: name, Labels: document.Metadata.Labels, Position: d.Pos(n), Source: n,
		Description: strings.TrimSpace(spec.Description), Timeout: spec.Timeout, Steps: spec.Steps.steps, Finally: spec.Finally.steps,
		Nodes: spec.Nodes, Light: spec.Light, Packets: spec.Packets,
		CCMStopped: spec.CCM.stopped(), Settings: spec.CCM.Settings, UsesCloudConfig: d.usesCloudConfig, DelaysCCM: d.DelaysCCM,
		LagsAPI: d.LagsAPI,
		Budget:  spec.Budget, Capabilities: spec.Capabilities,
	}
	if k := spec.KnownIssue; k != nil {
		s.KnownIssue = &scenarios.KnownIssue{Profile: k.Profile, Issues: k.Issues, Cloud: k.Cloud, CCM: k.CCM, Fixed: k.State == stateFixed}
	}
	for _, name := range spec.SkipOracles {
		s.SkipOracles = append(s.SkipOracles, string(name))
	}
	return s
}

// apiVersion is what all files of this project begin with.
type apiVersion string

func (apiVersion) words() []string { return []string{scenarios.APIVersion} }

// oracleName names an oracle.
type oracleName string

func (oracleName) words() []string { return scenarios.Oracles() }

// scenarioName names a scenario, and so its namespace.
type scenarioName string

func (*scenarioName) Schema() map[string]any {
	return map[string]any{"type": "string", "pattern": nameRE.String()}
}

func (s *scenarioName) Read(d *Decoder, n *yaml.Node, what string) {
	name, ok := d.ReadText(n, what)
	if ok && !nameRE.MatchString(name) {
		d.Errorf(n, "%s is %q: want up to 52 small letters, digits and '-', as <area>-<behaviour>", what, name)
	}
	*s = scenarioName(name)
}

// budget is how many calls the CCM may make, by globs of operations.
type budget map[string]int

func (*budget) Schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer", "minimum": 0}}
}

func (b *budget) Read(d *Decoder, n *yaml.Node, what string) {
	n = Resolve(n)
	if n.Kind != yaml.MappingNode {
		d.Errorf(n, "%s is %s: want a mapping of operations to numbers such as {GetInstance: 40}", what, Describe(n))
		return
	}
	*b = budget{}
	for i := 0; i < len(n.Content); i += 2 {
		key, limit := n.Content[i], 0
		if !slices.ContainsFunc(OperationNames(), func(name string) bool { return simcloud.Glob(key.Value, name) }) {
			d.Errorf(key, "the cloud has no operation that matches %q", key.Value)
		}
		if _, twice := (*b)[key.Value]; twice {
			d.Errorf(key, "%s has the key %q twice", what, key.Value)
		}
		d.Number(key.Value, &limit)(n.Content[i+1])
		(*b)[key.Value] = limit
	}
}
