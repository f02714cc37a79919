package controllers

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"
	ccmconfig "k8s.io/cloud-provider/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/controller-manager/pkg/leadermigration"
)

// settings are what the flags say.
type settings struct {
	ccmconfig.CloudControllerManagerConfiguration
	verbosity int // of the contextual loggers
}

// command is what a process with upstream's app calls itself.
const command = "cloud-controller-manager"

// parseFlags reads the flags as upstream's app does: with the same defaults and the same errors. What the flags say of the process's
// server and of its access to the cluster is checked and not used.
func parseFlags(args, controllers []string, warnings io.Writer) (*settings, error) {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	logging := logsapi.NewLoggingConfiguration()
	flags := newFlags(opts, logging, controllers)
	flags.SetOutput(warnings)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(flags.Args(), func(arg string) bool { return arg != "" }) {
		return nil, fmt.Errorf("%q does not take any arguments, got %q", command, flags.Args())
	}
	if errs := logsapi.Validate(logging, nil, nil); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if err := opts.Validate(controllers, nil, names.CCMControllerAliases(), nil, nil); err != nil {
		return nil, err
	}
	s := &settings{verbosity: int(logging.Verbosity)}
	if err := s.apply(opts, controllers); err != nil {
		return nil, err
	}
	return s, nil
}

// newFlags returns all flags of upstream's app.
func newFlags(opts *options.CloudControllerManagerOptions, logging *logsapi.LoggingConfiguration, controllers []string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(command, pflag.ContinueOnError)
	flags.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	for _, section := range opts.Flags(controllers, nil, names.CCMControllerAliases(), nil, nil).FlagSets {
		flags.AddFlagSet(section)
	}
	logsapi.AddFlags(logging, flags)
	flags.Var(refused("the version is that of this program"), "version", "")
	flags.Lookup("feature-gates").Value = refused("feature gates are global to this program: run the CCM as a process of its own")
	return flags
}

// refused is the value of a flag that cannot be set. It says why.
type refused string

// Set implements pflag.Value.
func (r refused) Set(string) error { return errors.New(string(r)) }

// String implements pflag.Value.
func (refused) String() string { return "" }

// Type implements pflag.Value.
func (refused) Type() string { return "string" }

// apply copies the options, as CloudControllerManagerOptions.ApplyTo does before it makes clients and servers of them.
func (s *settings) apply(opts *options.CloudControllerManagerOptions, controllers []string) error {
	s.NodeStatusUpdateFrequency = opts.NodeStatusUpdateFrequency
	if err := errors.Join(
		opts.Generic.ApplyTo(&s.Generic, controllers, nil, names.CCMControllerAliases()),
		opts.KubeCloudShared.ApplyTo(&s.KubeCloudShared),
		opts.ServiceController.ApplyTo(&s.ServiceController),
		opts.NodeController.ApplyTo(&s.NodeController),
		opts.NodeLifecycleController.ApplyTo(&s.NodeLifecycleController),
	); err != nil {
		return err
	}
	if leadermigration.Enabled(&s.Generic) {
		return errors.New("--enable-leader-migration: not implemented here: run the CCM as a process of its own")
	}
	return nil
}
