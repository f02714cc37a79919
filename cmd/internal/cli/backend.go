package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/scenarios/profile"
)

// The backends.
const (
	backendEmbedded  = "embedded"
	backendKind      = "kind"
	backendExisting  = "existing"
	backendSimulated = "simulated"
)

// backendNames are the values of --backend. A sandbox, which people use, has real time: sandboxBackends.
var (
	backendNames    = []string{backendEmbedded, backendKind, backendExisting, backendSimulated}
	sandboxBackends = backendNames[:3]
)

// engineNames are the values of --engine, ccmModes those of --ccm-mode; the first of these is the default.
var (
	engineNames = []string{"docker", "podman", "nerdctl"}
	ccmModes    = []string{string(manager.Process), string(manager.Deployment), string(manager.DaemonSet)}
)

// flagsOfBackends are the flags that one backend alone has.
var flagsOfBackends = map[string]string{
	"engine": backendKind, "node-image": backendKind, "ccm-mode": backendKind, "ccm-manifests": backendKind, "ccm-image": backendKind,
	"kubeconfig": backendExisting, "context": backendExisting, "confirm-context": backendExisting,
}

// backendOptions are the flags that say what runs the clusters.
type backendOptions struct {
	names     []string // that --backend may have
	backend   string
	kube      string
	engine    string
	nodeImage string
	ccmMode   string

	// profileName is --profile, and profile what that names.
	profileName string
	profile     profile.Profile

	hollow int // nodes of a topology, which the cluster must have room for

	// Of a cloud controller manager that runs in the cluster.
	ccmManifests string
	ccmImage     string

	// Of a cluster that is there already.
	kubeconfig string
	context    string
	confirm    string
}

// backend makes the backends of clusters. What takes long and is done once, such as a build, is done.
type backend interface {
	// join gives a cluster its backend and what belongs to it. No other
	// cluster of this machine has the name.
	join(cfg *e2e.Config, name string, progress func(string)) error
	// kubectl is the path of a simcloud-kube, which is a kubectl too; empty when none was needed.
	kubectl() string
}

func (o *backendOptions) addFlags(cmd *cobra.Command, names []string) {
	o.names = names
	f := cmd.Flags()
	f.StringVar(&o.backend, "backend", backendEmbedded, "backend that runs the cluster: "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("backend", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	f.StringVar(&o.profileName, "profile", "", "profile of the cloud controller manager, which starts it in place of --ccm: "+strings.Join(profile.Names(), ", ")+", or a file that ends with .yaml; NAME=PATH runs that program (default: nothing is known of it)")
	f.StringVar(&o.kube, "kube", "", "path of simcloud-kube (default: found, or built once)")
	f.StringVar(&o.engine, "engine", "", "program that runs the containers, with --backend kind: "+strings.Join(engineNames, ", ")+" (default: the first that answers)")
	f.StringVar(&o.nodeImage, "node-image", "", "image of nodes, with --backend kind (default: the one of \"simcloud node-image build\", if it was built, else kind's published one)")
	f.StringVar(&o.ccmMode, "ccm-mode", ccmModes[0], "place of the cloud controller manager, with --backend kind: as a "+ccmModes[0]+
		" of this machine, or simcloud-ccm in the cluster, by the manifests that it ships with: "+strings.Join(ccmModes[1:], " or "))
	f.StringVar(&o.ccmManifests, "ccm-manifests", "", "folder with manifests, with --backend kind, that run another cloud controller manager in the cluster in place of --ccm (docs/testing-your-ccm.md)")
	f.StringVar(&o.ccmImage, "ccm-image", "", "file of \"docker save\", with --ccm-manifests, whose image {image} stands for in them (default: the nodes pull what the manifests name)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "file with the access to the cluster, with --backend existing (default: the one that kubectl uses)")
	f.StringVar(&o.context, "context", "", "context of the cluster, with --backend existing (default: the current one)")
	f.StringVar(&o.confirm, "confirm-context", "", "name of the context again, with --backend existing: scenarios may make Nodes, Services and namespaces there, which are removed again; "+
		"a cluster that looks as if other people used it is refused; no environment variable sets this flag")
}

// check finds out what cannot be right before anything is started or built.
func (o *backendOptions) check(cmd *cobra.Command) error {
	for _, f := range []struct {
		flag, value string
		of          []string
	}{
		{"backend", o.backend, o.names},
		{"engine", o.engine, append([]string{""}, engineNames...)},
		{"ccm-mode", o.ccmMode, ccmModes},
	} {
		if !slices.Contains(f.of, f.value) {
			return exit.Usage(fmt.Errorf("--%s %q is not one of: %s", f.flag, f.value, strings.TrimPrefix(strings.Join(f.of, ", "), ", ")))
		}
	}
	if o.profileName != "" {
		found, err := profile.Find(o.profileName)
		if err != nil {
			return exit.Usage(fmt.Errorf("--profile: %w", err))
		}
		o.profile = found
	}
	return o.checkOthers(cmd)
}

// checkOthers refuses flags of another backend. The variables of such flags may
// be set: they say what to use whenever that backend is asked for.
func (o *backendOptions) checkOthers(cmd *cobra.Command) error {
	for _, flag := range slices.Sorted(maps.Keys(flagsOfBackends)) {
		if of := flagsOfBackends[flag]; cmd.Flags().Changed(flag) && o.backend != of {
			return exit.Usage(fmt.Errorf("--%s goes with --backend %s alone, and this is --backend %s", flag, of, o.backend))
		}
	}
	return nil
}

// find finds what the backend needs, or builds it. The flags were checked.
func (o *backendOptions) find(ctx context.Context, progress func(string)) (backend, error) {
	switch o.backend {
	case backendKind:
		return findKind(ctx, *o, progress)
	case backendExisting:
		return findExisting(ctx, *o)
	case backendSimulated:
		return findSimulated()
	default:
		return findEmbedded(ctx, *o, progress)
	}
}

// clusters is how many clusters of n there can be at a time: an existing cluster is one.
func (o *backendOptions) clusters(n int) int {
	if o.backend == backendExisting {
		return 1
	}
	return n
}
