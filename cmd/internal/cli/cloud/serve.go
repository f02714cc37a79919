package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/console"
	"github.com/simcloud-dev/simcloud/simcloud/escape"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	cfg         sim.Config
	progression string
	clock       string
	targets     []string
	memory      int // in MiB
	logFormat   string
	logLevel    string
}

// TokensInClear warns about a cloud that other machines may reach without TLS.
const TokensInClear = "other machines may reach this address, and tokens travel in the clear"

// closeTimeout is how long requests under way may take once serve is to end.
const closeTimeout = 10 * time.Second

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a simulated cloud, without a cluster",
		Long: `Serve a simulated cloud over HTTP until Ctrl-C or SIGTERM. When it answers, it
prints "simcloud ready on URL" and where the admin's token is: in --token-file.
Without that file a new token is printed, this once. With --tls-self-signed
it prints where the CA is that clients have to trust.

Without a token it answers at /healthz, /readyz and /metrics, and describes its
interface at /docs for humans and at /openapi.json for programs. At / a browser gets
the console; "simcloud console" prints a link that logs in.

With --dataplane the load balancers are real: they listen on their VIPs, which on
Linux is any address of 127.0.0.0/8, forward TCP and UDP to the private addresses
of their targets, and check their health. The addresses of this machine stay as
they are: a VIP that it does not have stays silent, and "simcloud lb status" reports it.
Targets have to be this machine's own, or in --target-networks: addresses of a
simulated cloud may belong to another host in the real world, and nothing is sent there.`,
		Example: `  simcloud serve --ephemeral
  simcloud serve --data cloud.db --token-file token --listen 127.0.0.1:8080
  simcloud serve --data cloud.db --token-file token --tls-self-signed
  simcloud serve --data cloud.db --token-file token --dataplane`,
		Args: usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd.ErrOrStderr()); err != nil {
				return err
			}
			return serve(cmd.Context(), cmd.OutOrStdout(), o.cfg)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *serveOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.cfg.Data, "data", "", "file that keeps the cloud; made when there is none")
	f.BoolVar(&o.cfg.Ephemeral, "ephemeral", false, "cloud without a data file, which is gone when it ends")
	f.StringVar(&o.cfg.Listen, "listen", "127.0.0.1:0", "address to serve at; port 0 is a free one")
	f.StringVar(&o.cfg.TokenFile, "token-file", "", "file for the admin's token; used if it exists, else created with a new token")
	f.Uint64Var(&o.cfg.Seed, "seed", 1, "seed of the addresses and the jitter of a new cloud")
	f.StringVar(&o.progression, "progression", "", `time that operations take: "immediate", "time", "time=5s", "time=5s,jitter=1s" or "polls=3" (default: as configured; immediate in a new cloud)`)
	_ = cmd.RegisterFlagCompletionFunc("progression", CompleteProgression) // the flag is there
	f.StringVar(&o.clock, "clock", "", `mode of the clock: "real", "manual", or a speed factor such as "60x" (default: as it did; real in a new cloud)`)
	f.StringVar(&o.cfg.TLS.CertFile, "tls-cert", "", "file with the certificate for HTTPS, in PEM, and those that lead to its CA")
	f.StringVar(&o.cfg.TLS.KeyFile, "tls-key", "", "file with the certificate's key, in PEM")
	f.BoolVar(&o.cfg.TLS.SelfSigned, "tls-self-signed", false, "HTTPS with a certificate from a CA of the cloud's own, which is kept")
	f.StringVar(&o.cfg.TLS.CAFile, "tls-ca-file", "", "file for that CA's certificate; its key is beside it (default: beside the data file)")
	f.BoolVar(&o.cfg.DataPlane, "dataplane", false, "data plane: load balancers listen on their VIPs and forward to their targets; see \"simcloud lb status\"")
	f.StringSliceVar(&o.targets, "target-networks", nil, "networks of the targets, with --dataplane (default: 127.0.0.0/8 and ::1/128); nothing is sent to targets elsewhere, whose addresses other hosts may have")
	MemoryFlag(f, &o.memory)
	AllowedHostsFlag(f, &o.cfg.AllowedHosts)
	f.BoolVar(&o.cfg.Profile, "pprof", false, "profiles of the process at /debug/pprof/, for admins")
	f.StringVar(&o.logFormat, "log-format", "text", "format of the log on stderr: text or json")
	f.StringVar(&o.logLevel, "log-level", "info", "level of the log: debug (each request), info, warn or error")
}

// complete checks the flags and reads what they mean.
func (o *serveOptions) complete(stderr io.Writer) (err error) {
	if (o.cfg.Data == "") != o.cfg.Ephemeral {
		return exit.Usage(fmt.Errorf("exactly one of --data FILE and --ephemeral is needed"))
	}
	if o.progression != "" {
		if o.cfg.Progression, err = simcloud.ParseProgression(o.progression); err != nil {
			return exit.Usage(fmt.Errorf("--progression: %w", err))
		}
	}
	if o.clock != "" {
		if o.cfg.Clock, err = parseClock(o.clock); err != nil {
			return exit.Usage(fmt.Errorf("--clock: %w", err))
		}
	}
	if o.cfg.TargetNetworks, err = parseTargets(o.targets, o.cfg.DataPlane); err != nil {
		return exit.Usage(fmt.Errorf("--target-networks: %w", err))
	}
	if o.cfg.MemoryBudget, err = MemoryBudget(o.memory); err != nil {
		return err
	}
	o.cfg.Log, err = newLogger(stderr, o.logFormat, o.logLevel)
	return err
}

// parseTargets reads the networks of targets; nil when there are none.
func parseTargets(networks []string, dataPlane bool) (all []netip.Prefix, err error) {
	if len(networks) > 0 && !dataPlane {
		return nil, errors.New("it goes with --dataplane")
	}
	for _, network := range networks {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			return nil, fmt.Errorf("%q is no network: want a network such as 10.0.0.0/16", network)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

// newLogger makes the log of a cloud, whose entries have no control characters.
func newLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var opts slog.HandlerOptions
	var min slog.Level
	if err := min.UnmarshalText([]byte(level)); err != nil {
		return nil, exit.Usage(fmt.Errorf("--log-level %q is not one of debug, info, warn, error", level))
	}
	opts.Level = min
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, &opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(visibleJSON{w}, &opts)), nil
	default:
		return nil, exit.Usage(fmt.Errorf("--log-format %q is not one of text, json", format))
	}
}

// visibleJSON writes JSON with its hidden characters escaped, of which slog's handler escapes only some. The handler
// for text quotes all of them.
type visibleJSON struct{ to io.Writer }

// Write writes whole documents.
func (w visibleJSON) Write(raw []byte) (int, error) {
	if _, err := w.to.Write(escape.JSON(raw)); err != nil {
		return 0, err
	}
	return len(raw), nil
}

// serve runs a cloud until ctx is done, which is its good end.
func serve(ctx context.Context, out io.Writer, cfg sim.Config) error {
	cloud, err := sim.Open(ctx, cfg)
	if err != nil {
		return err
	}
	if cloud.SendsTokensInClear() {
		cfg.Log.Warn(TokensInClear + ": serve over HTTPS with --tls-self-signed or --tls-cert")
	}
	fmt.Fprintf(out, "simcloud ready on %s\n%s\n", cloud.URL(), tokenNote(cloud, cfg.TokenFile))
	if output.IsTerminal(out) { // elsewhere the token would be kept
		fmt.Fprintf(out, "console at %s\n", console.Link(cloud.URL(), cloud.Token()))
	}
	if ca := cloud.CAFile(); ca != "" {
		fmt.Fprintf(out, "CA in %s (for --ca-file)\n", ca)
	}
	select {
	case <-ctx.Done():
	case <-cloud.Done():
	case <-cloud.Broken(): // which Close reports
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return errors.Join(cloud.Err(), cloud.Close(closing))
}

// tokenNote says where the admin's token is.
func tokenNote(cloud *sim.Cloud, file string) string {
	switch {
	case cloud.TokenCreated() && file != "":
		return "token in " + file + " (new)"
	case cloud.TokenCreated():
		return fmt.Sprintf("token %s (new, shown this once; --token-file keeps it)", cloud.Token())
	case file != "":
		return "token in " + file
	default:
		return "token as before (the cloud keeps only its hash)"
	}
}
