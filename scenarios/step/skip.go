package step

import (
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/expr"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
)

// Unfit says why a scenario cannot be run in a world; empty when it can.
func Unfit(s *scenarios.Scenario, w World) string {
	if s.KnownIssue != nil && s.KnownIssue.Profile != w.Profile {
		return s.KnownIssue.NotConcerned()
	}
	if w.Capabilities != nil {
		if lacks := w.Capabilities.Lacking(s); len(lacks) > 0 {
			return "it needs what the CCM under test does not declare: " + strings.Join(lacks, ", ")
		}
	}
	switch {
	case s.UsesCloudConfig && !w.CCM.ReadsCloudConfig():
		return "it sets keys of simcloud-ccm's cloud config, and the CCM under test does not read that file ({cloud-config})"
	case s.Packets && !w.Packets:
		return "it needs pods with real traffic, which this backend does not have: --backend kind has"
	case s.LagsAPI && !w.ControlPlane.CanLag():
		return "it lets the API server show the CCM what is old, which this backend cannot: --backend simulated can"
	case w.InProcess && needsProcess(s):
		return "it kills or suspends the CCM, or runs a second one, and the CCM under test is a part of this process"
	case (w.InProcess || w.Simulated) && setsGates(s):
		return "it sets feature gates, which would stay set: the CCM under test is a part of this process"
	case (w.InProcess || w.Simulated || w.InCluster) && replacesBinary(s):
		return "it starts another program in the CCM's place (ccm.start.binary), and the CCM under test is " + w.noProgram()
	case w.Simulated && slices.ContainsFunc(ccmForms(s), asksPort):
		return "it asks the CCM's secure port, which a CCM in simulated time does not serve"
	case w.InCluster && slices.ContainsFunc(ccmForms(s), needsStandby):
		return "it runs a second replica of the CCM, and one in the cluster has as many as its manifest says"
	}
	return ""
}

// ccmForms are what the steps of a scenario do with the CCM.
func ccmForms(s *scenarios.Scenario) []ccmForm {
	var forms []ccmForm
	for _, step := range slices.Concat(s.Steps, s.Finally) {
		if ccm, ok := step.Action.(*CCMAction); ok {
			forms = append(forms, ccm.Form)
		}
	}
	return forms
}

// asksPort reports whether a step asks the CCM's secure port.
func asksPort(form ccmForm) bool {
	_, ok := form.(*CCMGet)
	return ok
}

// needsStandby reports whether a step has to do with a second replica.
func needsStandby(form ccmForm) bool {
	process, ok := form.(*CCMProcess)
	return ok && process.Standby || isFailover(form)
}

// needsProcess reports whether a scenario does to the CCM what only a process of its own can bear.
func needsProcess(s *scenarios.Scenario) bool {
	return slices.ContainsFunc(ccmForms(s), func(form ccmForm) bool {
		switch form := form.(type) {
		case *CCMStart, *CCMGet:
			return false
		case *CCMProcess:
			return form.Standby || !slices.Contains([]string{"start", "stop", "restart", "renewToken", "revokeToken"}, form.Do)
		default:
			return true
		}
	})
}

// noProgram is what a CCM is that is no program of this host.
func (w World) noProgram() string {
	if w.InCluster {
		return "an image that runs as pods"
	}
	return "a part of this process"
}

// replacesBinary reports whether a scenario runs another program in the CCM's place.
func replacesBinary(s *scenarios.Scenario) bool {
	return syntax.StartSettings(s).Binary != nil || slices.ContainsFunc(ccmForms(s), func(form ccmForm) bool {
		start, ok := form.(*CCMStart)
		return ok && start.Settings.Binary != nil
	})
}

// setsGates reports whether a scenario starts the CCM with feature gates of its own.
func setsGates(s *scenarios.Scenario) bool {
	sets := func(given syntax.Settings) bool {
		return slices.ContainsFunc(given.Flags, func(flag expr.Template) bool { return strings.HasPrefix(flag.Source(), "--feature-gates") })
	}
	return sets(syntax.StartSettings(s)) || slices.ContainsFunc(ccmForms(s), func(form ccmForm) bool {
		start, ok := form.(*CCMStart)
		return ok && sets(start.Settings)
	})
}
