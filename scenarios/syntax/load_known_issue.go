package syntax

import (
	"go.yaml.in/yaml/v3"
)

// stateFixed is the state of an issue that the CCM no longer has; the other state is "open".
const stateFixed = "fixed"

// knownIssue is the defect of one CCM that a scenario asserts.
type knownIssue struct {
	Profile string `yaml:"profile,required" min:"1" doc:"the name of the profile that starts the CCM"`
	Issues  []int  `yaml:"issues" item:"an issue" min:"1" doc:"the numbers of the reports in the tracker of the CCM"`
	State   string `yaml:"state" enum:"open,fixed" doc:"open when the CCM has the defect today, fixed when it had it and behaves correctly today"`
	Cloud   string `yaml:"cloud,required" min:"1" doc:"what the cloud does, as a sentence"`
	CCM     string `yaml:"ccm,required" min:"1" doc:"what the CCM does then today, as a sentence"`
}

// Check reports texts that are empty, since the page of known issues shows them.
func (k *knownIssue) Check(d *Decoder, n *yaml.Node) {
	for _, text := range []struct{ key, value string }{{"profile", k.Profile}, {"cloud", k.Cloud}, {"ccm", k.CCM}} {
		if at := ChildOf(n, text.key); at != nil && text.value == "" {
			d.Errorf(at, "%s is empty: want a text", text.key)
		}
	}
}
