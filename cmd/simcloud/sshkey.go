package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newSSHKeyCommand() *cobra.Command {
	n := &noun[simcloud.SSHKey, *simcloud.SSHKey]{
		kind: simcloud.KindSSHKey, use: "key", title: "SSH keys", prefix: "key-",
		list: (*client.Client).ListSSHKeys, get: (*client.Client).GetSSHKey, remove: (*client.Client).DeleteSSHKey,
		table: metaColumns(
			column[simcloud.SSHKey]{"FINGERPRINT", false, func(k simcloud.SSHKey) string { return k.Fingerprint }},
			column[simcloud.SSHKey]{"KEY", true, func(k simcloud.SSHKey) string { return k.PublicKey }},
		),
	}
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
		return c.UpdateSSHKey(ctx, id, simcloud.SSHKeyUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(
		newSSHKeyCreateCommand(n),
		newSSHKeyTargetsCommand(n, "attach", "Let instances accept keys", (*client.Client).AttachSSHKey),
		newSSHKeyTargetsCommand(n, "detach", "Let instances no longer accept keys", (*client.Client).DetachSSHKey),
		n.renameCommand(update), n.labelCommand(update),
	)
	cmd.Aliases = []string{"keys", "ssh-key", "ssh-keys"}
	return cmd
}

func newSSHKeyCreateCommand(n *noun[simcloud.SSHKey, *simcloud.SSHKey]) *cobra.Command {
	var file string
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.SSHKey], error) {
		text, err := os.ReadFile(file)
		if err != nil {
			return simcloud.Result[simcloud.SSHKey]{}, usageError(fmt.Errorf("--file: %w", err))
		}
		return c.CreateSSHKey(ctx, simcloud.SSHKeySpec{Name: name, Labels: labels, PublicKey: strings.TrimSpace(string(text))})
	})
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the public key, such as ~/.ssh/id_ed25519.pub")
	_ = cmd.MarkFlagRequired("file") // it is there
	return cmd
}

// newSSHKeyTargetsCommand is a verb that says which instances it is about.
func newSSHKeyTargetsCommand(
	n *noun[simcloud.SSHKey, *simcloud.SSHKey], use, short string,
	act func(*client.Client, context.Context, simcloud.ID, simcloud.SSHKeyTargets, ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error),
) *cobra.Command {
	var targets simcloud.SSHKeyTargets
	var ids []string
	cmd := verbWith(n, use, short, &targets, act)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		targets.Instances = idsOf(ids)
		return run(cmd, args)
	}
	cmd.Flags().StringSliceVar(&ids, "instance", nil, "id of an instance; can be repeated")
	cmd.Flags().BoolVar(&targets.All, "all", false, "all instances of the project")
	return cmd
}

func idsOf(texts []string) []simcloud.ID {
	var ids []simcloud.ID
	for _, text := range texts {
		ids = append(ids, simcloud.ID(text))
	}
	return ids
}
