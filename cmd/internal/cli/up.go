package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/cloud"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// upOptions are the flags of up.
type upOptions struct {
	name        string
	nodes       int
	detach      bool
	ccm         string
	data        string
	tokenFile   string
	ephemeral   bool
	progression string
	seed        uint64
	listen      string
	memory      int // in MiB
	timeout     time.Duration
	topology    string
	backend     backendOptions
	dataPlane   bool
	// dataPlaneGiven is whether dataPlane counts: else the backend says.
	dataPlaneGiven bool

	allowedHosts []string
	memoryBudget int // of memory, in bytes

	wanted  *simcloud.Topology // what --topology says; nil without
	subject manager.CCMSpec
	moves   simcloud.Progression
	// background is whether a simcloud up --detach started this process.
	background bool
}

// envBackground marks the process that up --detach starts.
const envBackground = "SIMCLOUD_UP_BACKGROUND"

// maxNodes is how many kubelets up starts at most; each takes about 125 MB.
const maxNodes = 100

func newUpCommand(io output.Streams) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a sandbox: a cloud, a Kubernetes cluster on it, and a cloud controller manager",
		Long: `Start a sandbox: a simulated cloud, a Kubernetes control plane with a kubelet for
each instance of the cloud, and a cloud controller manager. It runs until Ctrl-C,
which leaves nothing behind, or with --detach until "simcloud down".

--ccm is the cloud controller manager: a command whose arguments may have the
placeholders {kubeconfig} {cloud-config} {endpoint} {token-file} {token}
{cluster-name} {cluster-cidr} {secure-port} {dir}, {endpoint:DIALECT} and
{credential:DIALECT} for the API of another cloud ("simcloud dialect list"), and
{flags} for all flags that simcloud-ccm gets. Its environment has KUBECONFIG, SIMCLOUD_ENDPOINT and
SIMCLOUD_TOKEN_FILE, and what stands before it: "CLOUD_URL={endpoint} ./my-ccm {flags}".`,
		Example: `  simcloud up
  simcloud up --detach --nodes 5 && eval "$(simcloud env)" && kubectl get nodes
  simcloud up --ccm "./my-ccm --kubeconfig={kubeconfig} --secure-port={secure-port}"`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd); err != nil {
				return err
			}
			if o.detach && !o.background {
				return upInBackground(cmd.Context(), io, o)
			}
			return upHere(cmd.Context(), io, o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *upOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	usage.SandboxFlag(cmd, &o.name, "name of the sandbox; several can run side by side (default: "+sandbox.Default+")", sandboxNames)
	f.IntVar(&o.nodes, "nodes", 3, "number of instances, and so of nodes, to begin with")
	f.StringVar(&o.topology, "topology", "", "file that says what the cloud has, as \"simcloud seed\" reads it; with instances, --nodes adds to them and is 0 unless given")
	f.BoolVarP(&o.detach, "detach", "d", false, "background process: the command returns when the sandbox is ready")
	f.StringVar(&o.ccm, "ccm", "", "cloud controller manager: a command, or none (default: simcloud-ccm)")
	f.StringVar(&o.data, "data", "", "data file of the cloud, which is kept (default: one in the sandbox's folder, which \"down\" deletes)")
	// Not --token-file: its variable, SIMCLOUD_TOKEN_FILE, is that of another sandbox after "simcloud env".
	f.StringVar(&o.tokenFile, "admin-token-file", "", "file with the admin's token (default: with --data next to it, with .token at the end, else in the sandbox's folder)")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "temporary data file of the cloud, which is not synced")
	f.StringVar(&o.progression, "progression", "time=1s,jitter=500ms", `time that the cloud's operations take: "immediate", "time", "time=5s", "time=5s,jitter=1s" or "polls=3"`)
	f.Uint64Var(&o.seed, "seed", 1, "seed of ids, addresses and jitter")
	f.StringVar(&o.listen, "listen", "", "address of the cloud's API (default: a free port of 127.0.0.1)")
	cloud.MemoryFlag(f, &o.memory)
	cloud.AllowedHostsFlag(f, &o.allowedHosts)
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "timeout of the start, after all that it needs was found or built")
	f.BoolVar(&o.dataPlane, "dataplane", false, "data plane: load balancers listen on their VIPs and forward to their targets (default: with --backend kind, whose pods answer)")
	_ = cmd.MarkFlagFilename("topology", "yaml", "yml") // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("progression", cloud.CompleteProgression)
	o.backend.addFlags(cmd, sandboxBackends)
}

// complete checks the flags and reads what they mean.
func (o *upOptions) complete(cmd *cobra.Command) (err error) {
	switch {
	case o.nodes < 0 || o.nodes > maxNodes:
		return exit.Usage(fmt.Errorf("--nodes %d: want 0 to %d", o.nodes, maxNodes))
	case o.data != "" && o.ephemeral:
		return exit.Usage(fmt.Errorf("--data and --ephemeral exclude each other: a throw-away cloud has no file to keep"))
	case o.timeout <= 0:
		return exit.Usage(fmt.Errorf("--timeout %s must be above 0", o.timeout))
	}
	if err := o.backend.check(cmd); err != nil {
		return err
	}
	o.dataPlaneGiven = usage.Given(cmd, "dataplane")
	o.name = cmp.Or(o.name, sandbox.Default)
	if _, err := sandbox.Open(o.name); err != nil {
		return err
	}
	if o.memoryBudget, err = cloud.MemoryBudget(o.memory); err != nil {
		return err
	}
	if o.moves, err = simcloud.ParseProgression(o.progression); err != nil {
		return exit.Usage(fmt.Errorf("--progression: %w", err))
	}
	if o.topology != "" {
		topology, err := cloud.ReadTopology("--topology", o.topology)
		if err != nil {
			return err
		}
		o.wanted, o.backend.hollow = &topology, hollowNodes(topology)
		if topology.Instances != nil && !usage.Given(cmd, "nodes") {
			o.nodes = 0
		}
	}
	for _, path := range []*string{&o.topology, &o.data, &o.tokenFile, &o.backend.kubeconfig} { // others read them, from other folders
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return exit.Environment(err)
		}
	}
	o.background, _ = strconv.ParseBool(os.Getenv(envBackground))
	o.subject, err = o.backend.subject(o.ccm)
	return err
}
