package resource

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func sshKeyNoun() *noun[simcloud.SSHKey, *simcloud.SSHKey] {
	return &noun[simcloud.SSHKey, *simcloud.SSHKey]{
		kind: simcloud.KindSSHKey, use: "key", one: "an SSH key", title: "SSH keys", prefix: "key-",
		sample: sample{name: "laptop", create: []string{"create laptop"}},
		list:   (*client.Client).ListSSHKeys, get: (*client.Client).GetSSHKey, remove: (*client.Client).DeleteSSHKey,
		table: output.MetaColumns(
			output.Col("FINGERPRINT", func(k simcloud.SSHKey) string { return k.Fingerprint }),
			output.WideCol("KEY", func(k simcloud.SSHKey) string { return k.PublicKey }),
		),
	}
}

func newSSHKeyCommand() *cobra.Command {
	n := sshKeyNoun()
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error) {
		return c.UpdateSSHKey(ctx, id, simcloud.SSHKeyUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(
		newSSHKeyCreateCommand(n),
		newSSHKeyTargetsCommand(n, "attach", "Authorize SSH keys on instances", (*client.Client).AttachSSHKey),
		newSSHKeyTargetsCommand(n, "detach", "Remove SSH keys from instances", (*client.Client).DetachSSHKey),
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
			return simcloud.Result[simcloud.SSHKey]{}, exit.Usage(fmt.Errorf("--file: %w", err))
		}
		return c.CreateSSHKey(ctx, simcloud.SSHKeySpec{Name: name, Labels: labels, PublicKey: strings.TrimSpace(string(text))})
	})
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the public key, such as ~/.ssh/id_ed25519.pub")
	usage.Need(cmd, "file", "~/.ssh/id_ed25519.pub")
	return cmd
}

// newSSHKeyTargetsCommand is a verb that says which instances it is about.
func newSSHKeyTargetsCommand(
	n *noun[simcloud.SSHKey, *simcloud.SSHKey], use, short string,
	act func(*client.Client, context.Context, simcloud.ID, simcloud.SSHKeyTargets, ...simcloud.CallOption) (simcloud.Result[simcloud.SSHKey], error),
) *cobra.Command {
	var targets simcloud.SSHKeyTargets
	var instances []string
	cmd := n.verb(use, short, func(c *client.Client, ctx context.Context, id simcloud.ID, opts ...simcloud.CallOption) (r simcloud.Result[simcloud.SSHKey], err error) {
		if targets.Instances, err = instanceNoun().resolved(ctx, c, instances); err != nil {
			return r, err
		}
		return act(c, ctx, id, targets, opts...)
	})
	cmd.Example = n.example(use+" "+n.sample.name+" --instance node-1", use+" "+n.sample.name+" --all")
	cmd.Flags().StringSliceVar(&instances, "instance", nil, "id or name of an instance; can be repeated")
	cmd.Flags().BoolVar(&targets.All, "all", false, "all instances of the project")
	return cmd
}
