package resource

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func newClusterCommand() *cobra.Command {
	n := &noun[simcloud.Cluster, *simcloud.Cluster]{
		kind: simcloud.KindCluster, use: "cluster", one: "a Kubernetes cluster record", title: "Kubernetes cluster records", prefix: "cluster-",
		sample: sample{name: "prod", create: []string{"create prod"}},
		list:   (*client.Client).ListClusters, get: (*client.Client).GetCluster, remove: (*client.Client).DeleteCluster,
		table: output.MetaColumns(
			output.Col("ENDPOINT", func(c simcloud.Cluster) string { return c.Endpoint }),
		),
	}
	cmd := n.command(newClusterCreateCommand(n), newClusterMoveCommand(n))
	cmd.Aliases = []string{"clusters"}
	return cmd
}

func newClusterCreateCommand(n *noun[simcloud.Cluster, *simcloud.Cluster]) *cobra.Command {
	var spec simcloud.ClusterSpec
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (simcloud.Result[simcloud.Cluster], error) {
		spec.Name, spec.Labels = name, labels
		return c.CreateCluster(ctx, spec)
	})
	cmd.Flags().StringVar(&spec.Endpoint, "control-plane", "", "URL of the control plane, such as https://10.0.0.1:6443")
	usage.Need(cmd, "control-plane", "https://10.0.0.1:6443")
	return cmd
}

func newClusterMoveCommand(n *noun[simcloud.Cluster, *simcloud.Cluster]) *cobra.Command {
	var url string
	update := simcloud.ClusterUpdate{Endpoint: &url}
	cmd := verbWith(n, "move", "Set the URL of the control plane", &update, (*client.Client).UpdateCluster)
	cmd.Flags().StringVar(&url, "control-plane", "", "URL of the control plane")
	usage.Need(cmd, "control-plane", "https://10.0.0.1:6443")
	return cmd
}
