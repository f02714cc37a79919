package resource

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func instanceTypeNoun() *noun[simcloud.InstanceType, *simcloud.InstanceType] {
	return &noun[simcloud.InstanceType, *simcloud.InstanceType]{
		kind: simcloud.KindInstanceType, use: "instance-type", one: "an instance type", title: "instance types",
		sample: sample{name: "huge", create: []string{"create huge --vcpus 16 --memory 32768"}},
		list:   (*client.Client).ListInstanceTypes, get: (*client.Client).GetInstanceType, remove: (*client.Client).DeleteInstanceType,
		table: output.MetaColumns(
			output.Col("VCPUS", func(t simcloud.InstanceType) string { return strconv.Itoa(t.VCPUs) }),
			output.Col("MEMORY-MIB", func(t simcloud.InstanceType) string { return strconv.Itoa(t.MemoryMiB) }),
		),
	}
}

func newInstanceTypeCommand() *cobra.Command {
	n := instanceTypeNoun()
	cmd := n.command(newInstanceTypeCreateCommand(n))
	cmd.Aliases = []string{"instance-types"}
	return cmd
}

func newInstanceTypeCreateCommand(n *noun[simcloud.InstanceType, *simcloud.InstanceType]) *cobra.Command {
	var spec simcloud.InstanceTypeSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.InstanceType], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateInstanceType(ctx, spec)
	})
	cmd.Flags().IntVar(&spec.VCPUs, "vcpus", 1, "number of virtual CPUs")
	usage.SizeFlag(cmd.Flags(), &spec.MemoryMiB, "memory", "MiB", 1024, "memory, such as 512 or 2GiB")
	return cmd
}
