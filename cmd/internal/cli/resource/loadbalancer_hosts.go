package resource

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// host is an address to which a DNS name leads.
type host struct {
	Address      string      `json:"address"`
	Hostname     string      `json:"hostname"`
	LoadBalancer simcloud.ID `json:"loadBalancer"`
}

func newLoadBalancerHostsCommand(n *loadBalancerNoun) *cobra.Command {
	return &cobra.Command{
		Use: "hosts [ID...]", Short: "Print the DNS names of load balancers, as lines of a hosts file", ValidArgsFunction: n.complete,
		Example: n.example("hosts", "hosts "+n.sample.name+" -o json"),
		Long: `Print for all load balancers that have a DNS name, or for those named, each VIP and
the name, as /etc/hosts has them. No DNS server knows these names: a client outside of
the cluster finds them by the file, or is told the address, as by curl --resolve.`,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			balancers, err := n.chosen(ctx, c, args)
			if err != nil {
				return err
			}
			hosts := hostsOf(balancers)
			if n.Out.IsDocument() {
				return output.Document(out, n.Out, hosts)
			}
			for _, h := range hosts {
				if err := output.PrintLine(out, h.Address+" "+h.Hostname); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// chosen are the resources that arguments name, all without any.
func (n *noun[T, P]) chosen(ctx context.Context, c *client.Client, args []string) ([]T, error) {
	if len(args) == 0 {
		return simcloud.ListAll(ctx, n.lister(c), simcloud.ListOptions{})
	}
	var items []T
	for _, arg := range args {
		item, err := n.find(ctx, c, arg)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func hostsOf(balancers []simcloud.LoadBalancer) []host {
	hosts := []host{}
	for _, lb := range balancers {
		for _, vip := range lb.VIPs {
			if lb.Hostname != "" && lb.Answers(vip) {
				hosts = append(hosts, host{Address: vip.Address, Hostname: lb.Hostname, LoadBalancer: lb.ID})
			}
		}
	}
	return hosts
}
