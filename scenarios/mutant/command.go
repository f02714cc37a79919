package mutant

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // as the right one: scenarios read the metrics of the client of Kubernetes
)

// The environment variables that stand for the flags of the command.
const (
	// EnvMutant names the mutant.
	EnvMutant = "SIMCLOUD_MUTANT"
	// EnvMutantFile names a file with the name of the mutant, which each start reads again.
	EnvMutantFile = "SIMCLOUD_MUTANT_FILE"
)

// Asked reports whether the environment asks this process to be a mutant:
// tests are one by calling Run from their TestMain.
func Asked() bool { return os.Getenv(EnvMutant) != "" || os.Getenv(EnvMutantFile) != "" }

// Run is the command mutantccm: the controllers of k8s.io/cloud-provider with the
// provider of a mutant, until it is told to stop. It returns the exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	command, err := newCommand(ctx, stdout, stderr)
	if err == nil {
		command.SetArgs(args)
		err = command.Execute()
	}
	if err != nil {
		fmt.Fprintf(stderr, "mutantccm: %v\n", err)
		return 1
	}
	return 0
}

// choice says which mutant the process is.
type choice struct {
	bug, file string
	list      bool
	simulate  bool
	pairs     string
	fallback  bool
}

func newCommand(ctx context.Context, stdout, stderr io.Writer) (*cobra.Command, error) {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	var c choice
	var flags cliflag.NamedFlagSets
	own := flags.FlagSet("mutant")
	own.StringVar(&c.bug, "bug", os.Getenv(EnvMutant), "the mutant to be, or "+None+"; the environment variable is "+EnvMutant)
	own.StringVar(&c.file, "bug-file", os.Getenv(EnvMutantFile), "a file with the name of the mutant; the environment variable is "+EnvMutantFile)
	own.BoolVar(&c.list, "list", false, "list the mutants")
	own.BoolVar(&c.simulate, "simulate", false, "run all mutants, each with its scenario, in simulated time")
	own.StringVar(&c.pairs, "simulate-pairs", "", "run in simulated time what this file has: a line of JSON for each pair, such as {\"bug\": \"none\", \"scenario\": \"plain-day\"}")
	own.BoolVar(&c.fallback, "fallback", false, "run on a control plane those of --simulate-pairs that cannot be simulated")
	command := app.NewCloudControllerManagerCommand(opts, c.open(stderr), maps.Clone(app.DefaultInitFuncConstructors),
		names.CCMControllerAliases(), flags, ctx.Done())
	command.Use = "mutantccm"
	command.SilenceUsage, command.SilenceErrors = true, true
	command.SetOut(stdout)
	command.SetErr(stderr)
	controllers := command.RunE
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if c.list {
			return list(stdout)
		}
		switch {
		case c.simulate:
			return Simulate(ctx, stdout)
		case c.pairs != "":
			return SimulatePairs(ctx, c.pairs, c.fallback, stdout)
		}
		if _, err := c.chosen(); err != nil {
			return err
		}
		return controllers(cmd, args)
	}
	return command, nil
}

// open makes the provider. The framework takes no error from here.
func (c *choice) open(stderr io.Writer) app.InitCloudFunc {
	return func(completed *config.CompletedConfig) cloudprovider.Interface {
		m, err := c.chosen()
		var cloud cloudprovider.Interface
		if err == nil {
			cloud, err = Open(m, completed.ComponentConfig.KubeCloudShared.CloudProvider.CloudConfigFile, nil)
		}
		if err != nil {
			fmt.Fprintf(stderr, "mutantccm: %v\n", err)
			os.Exit(1)
		}
		if m.access != nil {
			completed.Kubeconfig.Wrap(m.access) // the controllers make their clients of it later
		}
		return cloud
	}
}

func (c *choice) chosen() (Mutant, error) {
	name := c.bug
	if name == "" && c.file != "" {
		raw, err := os.ReadFile(c.file)
		if err != nil {
			return Mutant{}, fmt.Errorf("--bug-file: %w", err)
		}
		name = strings.TrimSpace(string(raw))
	}
	if name == "" {
		return Mutant{}, errors.New("no mutant is named: set --bug to one of --list, or to " + None)
	}
	return Find(name)
}

func list(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ROW\tBUG\tSCENARIO\tWHAT IS WRONG")
	for _, m := range All() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.Row, m.Name, m.KilledBy, m.Title)
	}
	return w.Flush()
}
