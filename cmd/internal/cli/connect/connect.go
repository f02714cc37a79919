// Package connect finds the cloud that a command speaks to, and opens the connection.
package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// Cloud says which cloud a command speaks to.
type Cloud struct {
	endpoint  string
	tokenFile string
	caFile    string
	sandbox   string
	timeout   time.Duration
}

// AddFlags gives a command the flags of a connection.
func (c *Cloud) AddFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&c.endpoint, "endpoint", "", "URL of the cloud (default: that of the sandbox that runs)")
	f.StringVar(&c.tokenFile, "token-file", "", "file with the token (default: that of the sandbox); $SIMCLOUD_TOKEN can have the token itself, for --endpoint")
	f.StringVar(&c.caFile, "ca-file", "", "file with the CA, in PEM, of a cloud that is at https:// (default: those of the system)")
	f.StringVar(&c.sandbox, "sandbox", "", "name of the sandbox to speak to, when several run")
	f.DurationVar(&c.timeout, "timeout", 30*time.Second, "timeout of each call of the cloud, and when it is given of a --wait as a whole")
}

// open returns the client: of the cloud that the flags name, else of the one that
// the environment names, else of the sandbox that runs.
func (c *Cloud) open(cmd *cobra.Command) (*client.Client, error) {
	cfg, err := c.config(cmd)
	if err != nil {
		return nil, err
	}
	return client.New(cfg)
}

// Credentials returns the URL of the cloud that a command speaks to, and the token that it would speak with.
func (c *Cloud) Credentials(cmd *cobra.Command) (endpoint, token string, err error) {
	cfg, err := c.config(cmd)
	if err != nil || cfg.TokenFile == "" {
		return cfg.Endpoint, cfg.Token, err
	}
	secret, err := os.ReadFile(cfg.TokenFile)
	if err != nil {
		return "", "", exit.Environment(fmt.Errorf("token file: %w", err))
	}
	return cfg.Endpoint, strings.TrimSpace(string(secret)), nil
}

// config says how to connect to the cloud.
func (c *Cloud) config(cmd *cobra.Command) (client.Config, error) {
	cfg := client.Config{UserAgent: "simcloud-cli", Timeout: c.timeout, StrongReads: true}
	given := func(flag string) bool { return cmd.Flags().Changed(flag) }
	var err error
	switch {
	case given("endpoint") && given("sandbox"):
		return cfg, exit.Usage(errors.New("--endpoint and --sandbox exclude each other: a sandbox has its own endpoint"))
	case c.endpoint != "" && !given("sandbox") && !c.outlived(given):
		cfg.Endpoint, cfg.CA = c.endpoint, c.caFile
		cfg.Token, cfg.TokenFile, err = c.token(given("token-file"))
	default:
		cfg.Endpoint, cfg.TokenFile, err = sandbox.Connection(c.sandbox)
		if given("token-file") { // another caller than the sandbox's admin
			cfg.TokenFile = c.tokenFile
		}
	}
	return cfg, err
}

// outlived reports whether the endpoint is a variable that "simcloud env" has set for a sandbox that runs. The sandbox
// may have another endpoint by now: shells outlive it.
func (c *Cloud) outlived(given func(flag string) bool) bool {
	if c.sandbox == "" || given("endpoint") || given("token-file") || os.Getenv("SIMCLOUD_TOKEN") != "" {
		return false
	}
	_, tokenFile, err := sandbox.Connection(c.sandbox)
	return err == nil && tokenFile == c.tokenFile
}

// waiting returns how the command waits: within --timeout, when that is given. An operation may take
// longer than a call does by default.
func (c *Cloud) waiting(cmd *cobra.Command) waiting {
	w := waiting{stderr: cmd.ErrOrStderr()}
	if usage.Given(cmd, "timeout") {
		w.bound, w.ends = c.timeout, time.Now().Add(c.timeout)
	}
	return w
}

// explain says what to do about a cloud to which there is no connection.
func (c *Cloud) explain(err error) error {
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return exit.Environment(fmt.Errorf("the certificate of %s is not to be trusted: give the file with its CA with --ca-file or SIMCLOUD_CA_FILE: %w", c.endpoint, err))
	}
	var dial *net.OpError
	if !errors.As(err, &dial) || dial.Op != "dial" {
		return err
	}
	if c.endpoint == "" {
		return exit.Environment(fmt.Errorf("the sandbox's cloud does not answer: look at \"simcloud status\" and \"simcloud logs\": %w", err))
	}
	return exit.Environment(fmt.Errorf("no cloud answers at --endpoint %s (or SIMCLOUD_ENDPOINT): start a cloud with "+
		"\"simcloud up\" or \"simcloud serve\", or name the right one: %w", c.endpoint, err))
}

// token returns the token or its file; exactly one of them.
func (c *Cloud) token(fileGiven bool) (token, file string, err error) {
	token = os.Getenv("SIMCLOUD_TOKEN")
	switch {
	case c.tokenFile != "" && (fileGiven || token == ""):
		return "", c.tokenFile, nil
	case token != "":
		return token, "", nil
	default:
		return "", "", exit.Usage(fmt.Errorf("no token for %s: give --token-file, or set SIMCLOUD_TOKEN_FILE or SIMCLOUD_TOKEN", c.endpoint))
	}
}

// completionTime is how long a completion waits for the cloud: a user has pressed a key.
const completionTime = "2s"

// Completed makes a completion of what a cloud knows. Without a cloud it offers nothing.
func (c *Cloud) Completed(words func(context.Context, *client.Client) ([]string, error)) usage.Completion {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		if err := usage.SetFlagsFromEnv(cmd); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if !cmd.Flags().Changed("timeout") {
			_ = cmd.Flags().Set("timeout", completionTime) // the flag is there: addFlags made it
		}
		cloud, err := c.open(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer cloud.Close()
		found, _ := words(cmd.Context(), cloud) // no one reads an error between two keys
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
