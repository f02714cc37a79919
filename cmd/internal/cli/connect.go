package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// connection says which cloud a command speaks to.
type connection struct {
	endpoint  string
	tokenFile string
	caFile    string
	sandbox   string
	timeout   time.Duration
}

func (c *connection) addFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&c.endpoint, "endpoint", "", "URL of the cloud (default: that of the sandbox that runs)")
	f.StringVar(&c.tokenFile, "token-file", "", "file with the token (default: that of the sandbox); $SIMCLOUD_TOKEN can have the token itself, for --endpoint")
	f.StringVar(&c.caFile, "ca-file", "", "file with the CA, in PEM, of a cloud that is at https:// (default: those of the system)")
	f.StringVar(&c.sandbox, "sandbox", "", "name of the sandbox to speak to, when several run")
	f.DurationVar(&c.timeout, "timeout", 30*time.Second, "how long to wait for the cloud's answer")
}

// open returns the client: of the cloud that the flags name, else of the one that
// the environment names, else of the sandbox that runs.
func (c *connection) open(cmd *cobra.Command) (*client.Client, error) {
	cfg := client.Config{UserAgent: "simcloud-cli", Timeout: c.timeout}
	given := func(flag string) bool { return cmd.Flags().Changed(flag) }
	var err error
	switch {
	case given("endpoint") && given("sandbox"):
		return nil, usageError(errors.New("--endpoint and --sandbox exclude each other: a sandbox has its own endpoint"))
	case c.endpoint != "" && !given("sandbox"):
		cfg.Endpoint, cfg.CA = c.endpoint, c.caFile
		cfg.Token, cfg.TokenFile, err = c.token(given("token-file"))
	default:
		cfg.Endpoint, cfg.TokenFile, err = sandboxConnection(c.sandbox)
		if given("token-file") { // another caller than the sandbox's admin
			cfg.TokenFile = c.tokenFile
		}
	}
	if err != nil {
		return nil, err
	}
	return client.New(cfg)
}

// explain says what to do about a cloud to which there is no connection.
func (c *connection) explain(err error) error {
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return environmentError(fmt.Errorf("the certificate of %s is not to be trusted: give the file with its CA with --ca-file or SIMCLOUD_CA_FILE: %w", c.endpoint, err))
	}
	var dial *net.OpError
	if !errors.As(err, &dial) || dial.Op != "dial" {
		return err
	}
	if c.endpoint == "" {
		return environmentError(fmt.Errorf("the sandbox's cloud does not answer: look at \"simcloud status\" and \"simcloud logs\": %w", err))
	}
	return environmentError(fmt.Errorf("nobody answers at --endpoint %s (or SIMCLOUD_ENDPOINT): start a cloud with "+
		"\"simcloud up\" or \"simcloud serve\", or name the right one: %w", c.endpoint, err))
}

// token returns the token or its file; exactly one of them.
func (c *connection) token(fileGiven bool) (token, file string, err error) {
	token = os.Getenv("SIMCLOUD_TOKEN")
	switch {
	case c.tokenFile != "" && (fileGiven || token == ""):
		return "", c.tokenFile, nil
	case token != "":
		return token, "", nil
	default:
		return "", "", usageError(fmt.Errorf("no token for %s: give --token-file, or set SIMCLOUD_TOKEN_FILE or SIMCLOUD_TOKEN", c.endpoint))
	}
}

// sandboxConnection returns where the cloud of a running sandbox is, and its token file.
func sandboxConnection(name string) (endpoint, tokenFile string, err error) {
	s, err := chooseSandbox(name)
	if err != nil {
		return "", "", err
	}
	state, err := s.readState()
	if err != nil {
		return "", "", notRunningError(s, err)
	}
	if state.Endpoint == "" {
		return "", "", environmentError(fmt.Errorf("the sandbox %s is still starting: wait until \"simcloud up\" says that it is ready", s.name))
	}
	return state.Endpoint, state.TokenFile, nil
}

// chooseSandbox is findSandbox with advice for those who need a cloud, of whatever kind.
func chooseSandbox(name string) (sandbox, error) {
	if name != "" {
		return findSandbox(name)
	}
	running, err := runningSandboxes()
	if err == nil && len(running) == 0 {
		err = environmentError(errors.New("no cloud to speak to: start one with \"simcloud up\", or say with --endpoint or SIMCLOUD_ENDPOINT where it is"))
	}
	if err != nil {
		return sandbox{}, err
	}
	var names []string
	for _, s := range running {
		if s.name == defaultSandbox || len(running) == 1 {
			return s, nil
		}
		names = append(names, s.name)
	}
	return sandbox{}, usageError(fmt.Errorf("several sandboxes run (%s): say which with --sandbox", strings.Join(names, ", ")))
}
