package manager

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Mode says where the CCM runs.
type Mode string

// The modes of a CCM.
const (
	// Process runs the command as a process of this host.
	Process Mode = "process"
	// Deployment and DaemonSet run simcloud-ccm in the cluster, by the
	// manifests that it ships with. The backend must be able to run images; and a
	// cluster is thrown away after one use, since Reset answers Unimplemented.
	Deployment Mode = "deployment"
	DaemonSet  Mode = "daemonset"
)

// Modes are all modes, the default one first.
func Modes() []Mode { return []Mode{Process, Deployment, DaemonSet} }

// ExecFunc runs a program on a node, by the node's name, and returns its
// standard output. The error has what it wrote to standard error. Stdin may be nil.
type ExecFunc func(ctx context.Context, node string, stdin io.Reader, argv ...string) ([]byte, error)

// Place says where a CCM runs, and what the backend of the cluster has for it.
type Place struct {
	// Mode says where simcloud-ccm runs; empty is Process.
	Mode Mode
	// Backend is the name of the backend, for errors.
	Backend string
	// Node is the control plane's Node, on which CCMs run as pods, by means of
	// Exec. It is empty, or Exec is nil, when the backend has no such Node that runs images.
	Node string
	Exec ExecFunc
	// Simulated is whether the cluster runs in simulated time, where a CCM is a provider in this process.
	Simulated bool
}

// runsPods reports whether the control plane has a Node that runs images.
func (p Place) runsPods() bool { return p.Exec != nil && p.Node != "" }

// Check finds out whether the CCM can be run where it is to be.
func (p Place) Check(spec CCMSpec) error {
	if spec.InCluster() {
		return p.checkManifests(spec)
	}
	if p.Simulated && !spec.None() && spec.Provider == nil {
		return simcloud.InvalidFields("", []simcloud.FieldError{{Field: "--ccm", Detail: fmt.Sprintf(
			"%s is a program of its own, which has no simulated time: the backend %s runs providers that are linked in", spec.Name, p.Backend)}})
	}
	switch {
	case p.Mode == "" || p.Mode == Process || spec.None():
		return nil
	case spec.InProcess():
		return invalidMode("%s is for simcloud-ccm, by the manifests that it ships with, and %s runs in this process", p.Mode, spec.Name)
	case !slices.Contains(Modes(), p.Mode):
		return invalidMode("invalid value %q: must be one of %s, %s, %s", p.Mode, Process, Deployment, DaemonSet)
	case !slices.Equal(spec.Args, []string{phFlags}) || len(spec.Env) > 0:
		return invalidMode("%s is for simcloud-ccm, by the manifests that it ships with, and %s has arguments of its own", p.Mode, spec.Name)
	}
	if !p.runsPods() {
		return invalidMode("%s needs a Node of the control plane that runs images, and the backend %s has none", p.Mode, p.Backend)
	}
	return checkStatic(spec.Path)
}

// checkManifests finds out whether manifests of the user can be run.
func (p Place) checkManifests(spec CCMSpec) error {
	if !p.runsPods() {
		return invalidManifests("they need a Node of the control plane that runs images, and the backend %s has none", p.Backend)
	}
	return spec.Manifests.check()
}

func invalidMode(format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: "--ccm-mode", Detail: fmt.Sprintf(format, args...)}})
}

// launcher returns what starts the CCM.
func (p Place) launcher(c *CCM) launcher {
	if p.Simulated {
		return simulated{c}
	}
	if c.subject.InProcess() {
		return inProcess{c}
	}
	if p.Exec == nil || !c.subject.InCluster() && (p.Mode == "" || p.Mode == Process) {
		return onHost{c}
	}
	return &inCluster{
		CCM: c, mode: p.Mode, workload: ownWorkload(p.Mode), theirs: c.subject.Manifests, exec: p.Exec, node: p.Node,
	}
}
