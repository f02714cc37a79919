// Command simcloud-ccm is the cloud controller manager for simcloud: the
// controllers of k8s.io/cloud-provider with the provider of package ccm.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"
	_ "k8s.io/component-base/logs/json/register"          // the JSON log format
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of the client of Kubernetes
	_ "k8s.io/component-base/metrics/prometheus/version"  // the build as a metric
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/providerid"
	"github.com/simcloud-dev/simcloud/ccm/volume"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes of simcloud-ccm.
const (
	exitOK     = 0
	exitFailed = 1
)

func run(args []string, stdout, stderr io.Writer) int {
	command, err := newCommand(stderr)
	if err != nil {
		printError(stderr, err)
		return exitFailed
	}
	command.SetArgs(args)
	command.SetOut(stdout)
	command.SetErr(stderr)
	defer klog.Flush()
	switch err := command.Execute(); {
	case errors.As(err, new(toldError)):
		return exitFailed
	case err != nil:
		printError(stderr, err)
		return exitFailed
	}
	return exitOK
}

// printError prints err, which may quote a config file or what listens in place of the cloud: only the first line begins at the margin.
func printError(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "simcloud-ccm: %s\n", strings.ReplaceAll(escape.Block(err.Error()), "\n", "\n  "))
}

// toldError is an error that the framework has printed already.
type toldError struct{ error }

func newCommand(stderr io.Writer) (*cobra.Command, error) {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	opts.KubeCloudShared.CloudProvider.Name = providerid.Scheme
	p := &process{stderr: stderr}
	command := app.NewCloudControllerManagerCommand(opts, p.initializer(), p.controllers(),
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, p.stopped())
	command.Use = "simcloud-ccm"
	command.Short = "The cloud controller manager for simcloud"
	command.SilenceUsage, command.SilenceErrors = true, true
	controllers := command.RunE
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if err := controllers(cmd, args); err != nil {
			return toldError{err}
		}
		return nil
	}
	command.SetGlobalNormalizationFunc(cliflag.WordSepNormalizeFunc)
	return command, nil
}

// controllers are upstream's and our own, by the names that --controllers knows.
func (p *process) controllers() map[string]app.ControllerInitFuncConstructor {
	all := maps.Clone(app.DefaultInitFuncConstructors)
	all[volume.PVLabelControllerName] = app.ControllerInitFuncConstructor{
		InitContext: app.ControllerInitContext{ClientName: volume.PVLabelControllerName}, Constructor: pvLabels,
	}
	all[cloudCheck] = app.ControllerInitFuncConstructor{Constructor: p.watchCloud}
	return all
}
