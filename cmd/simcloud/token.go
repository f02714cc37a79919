package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newTokenCommand() *cobra.Command {
	n := &noun[simcloud.Token, *simcloud.Token]{
		kind: simcloud.KindToken, use: "token", title: "tokens", prefix: "tok-",
		list: (*client.Client).ListTokens, get: (*client.Client).GetToken, remove: (*client.Client).DeleteToken,
		table: metaColumns(
			column[simcloud.Token]{"PROJECT", false, func(t simcloud.Token) string { return string(t.Project) }},
			column[simcloud.Token]{"ROLE", false, func(t simcloud.Token) string { return string(t.Role) }},
			column[simcloud.Token]{"STATE", false, func(t simcloud.Token) string { return string(t.State) }},
			column[simcloud.Token]{"EXPIRES", false, func(t simcloud.Token) string { return timeCell(t.Expires) }},
		),
	}
	cmd := n.command(newTokenCreateCommand(n), newTokenRotateCommand(n),
		n.verb("revoke", "End tokens at once and for good; they stay in lists", (*client.Client).RevokeToken))
	cmd.Aliases = []string{"tokens"}
	return cmd
}

// secretFile is where a secret goes that the cloud shows once.
type secretFile struct{ path string }

func (s *secretFile) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.path, "secret-file", "", "write the secret to this new file, mode 0600, instead of the screen")
}

// keep writes the secret where it was asked for and takes it out of what is
// printed. Without a file it stays in documents, and is a line of its own beside a table.
func (s *secretFile) keep(out io.Writer, f format, token *simcloud.Token) error {
	if s.path == "" {
		if token.Secret == "" || f == formatJSON || f == formatYAML || f == formatName {
			return nil
		}
		_, err := fmt.Fprintf(out, "secret: %s (the cloud shows it this once)\n", token.Secret)
		return err
	}
	file, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return usageError(fmt.Errorf("--secret-file: %w; the secret of %s is lost: rotate the token", err, token.ID))
	}
	_, err = fmt.Fprintln(file, token.Secret)
	token.Secret = ""
	return errors.Join(err, file.Close())
}

// free reports early that the file cannot be made: before the cloud makes a secret.
func (s *secretFile) free() error {
	if s.path == "" {
		return nil
	}
	if _, err := os.Lstat(s.path); err == nil {
		return usageError(fmt.Errorf("--secret-file: %s is there already: a new file is right", s.path))
	}
	return nil
}

func newTokenCreateCommand(n *noun[simcloud.Token, *simcloud.Token]) *cobra.Command {
	var spec simcloud.TokenSpec
	var lifetime time.Duration
	var secret secretFile
	var out io.Writer
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Token], error) {
		if err := secret.free(); err != nil {
			return simcloud.Result[simcloud.Token]{}, err
		}
		spec.Name, spec.Labels, spec.Lifetime = name, labels, simcloud.Duration(lifetime)
		res, err := c.CreateToken(ctx, spec)
		if err == nil {
			err = secret.keep(out, n.out, &res.Resource)
		}
		return res, err
	})
	cmd.PreRun = func(cmd *cobra.Command, _ []string) { out = cmd.OutOrStdout() }
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Project), "project", "", "project that the token acts for (default: your own)")
	f.StringVar((*string)(&spec.Role), "role", string(simcloud.RoleWriter), "reader, writer or admin")
	f.DurationVar(&lifetime, "lifetime", 0, "how long it is good, such as 24h (default: for ever)")
	secret.addFlag(cmd)
	return cmd
}

func newTokenRotateCommand(n *noun[simcloud.Token, *simcloud.Token]) *cobra.Command {
	var grace, lifetime time.Duration
	var secret secretFile
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Give a token a new secret", Args: exactArgs(1), ValidArgsFunction: n.complete,
		RunE: n.run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			if err := secret.free(); err != nil {
				return err
			}
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			res, err := c.RotateToken(ctx, id, simcloud.TokenRotation{Grace: simcloud.Duration(grace), Lifetime: simcloud.Duration(lifetime)})
			if err == nil {
				err = secret.keep(out, n.out, &res.Resource)
			}
			return n.result(ctx, c, out, res, err)
		}),
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the old secret stays good beside the new one")
	cmd.Flags().DurationVar(&lifetime, "lifetime", 0, "how long the token is good from now on (default: as before)")
	secret.addFlag(cmd)
	return cmd
}
