package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/durable"
)

func newTokenCommand() *cobra.Command {
	n := &noun[simcloud.Token, *simcloud.Token]{
		kind: simcloud.KindToken, use: "token", one: "a token", title: "tokens", prefix: "tok-",
		sample: sample{
			name: "ci", list: "--state active -o wide",
			create: []string{"create ci --role writer --lifetime 24h", "create audit --role reader --secret-file audit.token"},
		},
		list: (*client.Client).ListTokens, get: (*client.Client).GetToken, remove: (*client.Client).DeleteToken,
		table: output.MetaColumns(
			output.Col("PROJECT", func(t simcloud.Token) string { return string(t.Project) }),
			output.Col("ROLE", func(t simcloud.Token) string { return string(t.Role) }),
			output.Col("STATE", func(t simcloud.Token) string { return string(t.State) }),
			output.Col("EXPIRES", func(t simcloud.Token) string { return output.TimeCell(t.Expires) }),
		),
	}
	cmd := n.command(newTokenCreateCommand(n), newTokenRotateCommand(n),
		n.verb("revoke", "Revoke tokens at once and for good; they stay in lists", (*client.Client).RevokeToken))
	cmd.Aliases = []string{"tokens"}
	return cmd
}

// secretFile is where a secret goes that the cloud shows once.
type secretFile struct{ path string }

func (s *secretFile) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.path, "secret-file", "", "new file for the secret, mode 0600, instead of the screen")
}

// keep calls the cloud for a token with a new secret, and puts the secret where
// it was asked for: in the file, which is made before there is a secret to
// lose, else in the document, else on a line of its own beside the table.
func (s *secretFile) keep(out io.Writer, f output.Format, call func() (simcloud.Result[simcloud.Token], error)) (res simcloud.Result[simcloud.Token], err error) {
	file, err := s.create(f)
	if err != nil {
		return res, err
	}
	if res, err = call(); file != nil {
		return res, s.finish(file, &res.Resource, err)
	}
	if err == nil && !f.IsDocument() {
		_, err = fmt.Fprintf(out, "secret: %s (the cloud shows it this once)\n", res.Resource.Secret)
	}
	return res, err
}

// create makes the file; nil when none was asked for.
func (s *secretFile) create(f output.Format) (*os.File, error) {
	switch {
	case s.path == "" && f == output.FormatName:
		return nil, exit.Usage(errors.New("-o name does not show the secret, and the cloud shows it once: give --secret-file, or another format"))
	case s.path == "":
		return nil, nil
	}
	file, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, exit.Usage(fmt.Errorf("--secret-file: %s is there already: want a new file", s.path))
	case err != nil:
		return nil, exit.Usage(fmt.Errorf("--secret-file: %w", err))
	}
	return file, nil
}

// finish writes the secret to the file and takes it out of what is printed.
// Without a secret the file goes.
func (s *secretFile) finish(file *os.File, token *simcloud.Token, failed error) error {
	if failed != nil {
		return errors.Join(failed, file.Close(), os.Remove(s.path))
	}
	_, err := fmt.Fprintln(file, token.Secret)
	token.Secret = ""
	if err = errors.Join(err, durable.CloseNew(file)); err != nil {
		return exit.Environment(fmt.Errorf("--secret-file: %w; the secret of %s is lost: rotate the token", errors.Join(err, os.Remove(s.path)), token.ID))
	}
	return nil
}

func newTokenCreateCommand(n *noun[simcloud.Token, *simcloud.Token]) *cobra.Command {
	var spec simcloud.TokenSpec
	var lifetime time.Duration
	var secret secretFile
	var out io.Writer
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Token], error) {
		spec.Name, spec.Labels, spec.Lifetime = name, labels, simcloud.Duration(lifetime)
		return secret.keep(out, n.Out, func() (simcloud.Result[simcloud.Token], error) { return c.CreateToken(ctx, spec) })
	})
	cmd.PreRun = func(cmd *cobra.Command, _ []string) { out = cmd.OutOrStdout() }
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Project), "project", "", "project that the token acts for (default: your own)")
	f.StringVar((*string)(&spec.Role), "role", string(simcloud.RoleWriter), "role: reader, writer or admin")
	f.DurationVar(&lifetime, "lifetime", 0, "lifetime, such as 24h (default: for ever)")
	secret.addFlag(cmd)
	return cmd
}

func newTokenRotateCommand(n *noun[simcloud.Token, *simcloud.Token]) *cobra.Command {
	var grace, lifetime time.Duration
	var secret secretFile
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Replace the secret of a token", Args: usage.ExactArgs(1), ValidArgsFunction: n.completeFirst,
		Example: n.example("rotate "+n.sample.name, "rotate "+n.sample.name+" --grace 1h --secret-file ci.token"),
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			rotation := simcloud.TokenRotation{Grace: simcloud.Duration(grace), Lifetime: simcloud.Duration(lifetime)}
			res, err := secret.keep(out, n.Out, func() (simcloud.Result[simcloud.Token], error) { return c.RotateToken(ctx, id, rotation) })
			return n.result(ctx, c, out, res, err)
		}),
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "time that the old secret stays valid beside the new one")
	cmd.Flags().DurationVar(&lifetime, "lifetime", 0, "lifetime of the token from now on (default: as before)")
	secret.addFlag(cmd)
	return cmd
}
