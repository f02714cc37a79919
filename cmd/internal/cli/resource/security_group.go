package resource

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

func securityGroupNoun() *noun[simcloud.SecurityGroup, *simcloud.SecurityGroup] {
	return &noun[simcloud.SecurityGroup, *simcloud.SecurityGroup]{
		kind: simcloud.KindSecurityGroup, use: "security-group", one: "a security group", title: "security groups", prefix: "sg-",
		sample: sample{name: "front", create: []string{"create front --rule tcp:443=0.0.0.0/0", "create open --rule any=0.0.0.0/0 -o json"}},
		list:   (*client.Client).ListSecurityGroups, get: (*client.Client).GetSecurityGroup, remove: (*client.Client).DeleteSecurityGroup,
		table: output.MetaColumns(
			output.Col("NETWORK", func(g simcloud.SecurityGroup) string { return string(g.Network) }),
			output.Col("RULES", func(g simcloud.SecurityGroup) string { return output.JoinCells(g.Rules, ruleCell) }),
			output.WideCol("DESCRIPTION", func(g simcloud.SecurityGroup) string { return g.Description }),
		),
	}
}

func newSecurityGroupCommand() *cobra.Command {
	n := securityGroupNoun()
	update := func(c *client.Client, ctx context.Context, id simcloud.ID, name *string, labels *map[string]string, opts ...simcloud.CallOption) (simcloud.Result[simcloud.SecurityGroup], error) {
		return c.UpdateSecurityGroup(ctx, id, simcloud.SecurityGroupUpdate{Name: name, Labels: labels}, opts...)
	}
	cmd := n.command(newSecurityGroupCreateCommand(n), newRuleCommand(n), n.renameCommand(update), n.labelCommand(update))
	cmd.Aliases = []string{"security-groups", "sg"}
	return cmd
}

// ruleCell is "sgr-1:tcp:443<-0.0.0.0/0", as --rule takes it but for the arrow, which shows the direction.
func ruleCell(r simcloud.SecurityGroupRule) string {
	arrow := "<-"
	if r.Direction == simcloud.Egress {
		arrow = "->"
	}
	return fmt.Sprintf("%s:%s%s%s%s", r.ID, trafficCell(r.SecurityGroupRuleSpec), arrow, r.CIDR, r.Group)
}

// trafficCell is "tcp:443", "udp:30000-32767", "icmp" or "any".
func trafficCell(r simcloud.SecurityGroupRuleSpec) string {
	switch {
	case r.FromPort == 0 && r.ToPort == 0:
		return string(r.Protocol)
	case r.FromPort == r.ToPort:
		return fmt.Sprintf("%s:%d", r.Protocol, r.FromPort)
	default:
		return fmt.Sprintf("%s:%d-%d", r.Protocol, r.FromPort, r.ToPort)
	}
}

func newSecurityGroupCreateCommand(n *noun[simcloud.SecurityGroup, *simcloud.SecurityGroup]) *cobra.Command {
	var spec simcloud.SecurityGroupSpec
	var rules []string
	cmd := n.createCommand(func(ctx context.Context, c *client.Client, name string, labels map[string]string) (r simcloud.Result[simcloud.SecurityGroup], err error) {
		spec.Name, spec.Labels = name, labels
		if spec.Rules, err = parseRules("--rule ", rules, simcloud.Ingress); err != nil {
			return r, err
		}
		if err := cmp.Or(networkNoun().resolve(ctx, c, &spec.Network), resolveGroups(ctx, c, spec.Rules)); err != nil {
			return r, err
		}
		return c.CreateSecurityGroup(ctx, spec)
	})
	f := cmd.Flags()
	f.StringVar((*string)(&spec.Network), "network", "", "id or name of the network of all that can have the group (default: any)")
	f.StringVar(&spec.Description, "description", "", "text about the group")
	f.StringArrayVar(&rules, "rule", nil, "rule for ingress as PROTOCOL[:PORTS]=SOURCE, such as tcp:80-443=0.0.0.0/0 or any=front; can be repeated")
	return cmd
}

func newRuleCommand(n *noun[simcloud.SecurityGroup, *simcloud.SecurityGroup]) *cobra.Command {
	cmd := &cobra.Command{Use: "rule", Short: "Manage the rules of a security group", Args: usage.KnownCommand, RunE: usage.ShowHelp}
	cmd.AddCommand(newRuleAddCommand(n), newRuleRemoveCommand(n))
	return cmd
}

func newRuleAddCommand(n *noun[simcloud.SecurityGroup, *simcloud.SecurityGroup]) *cobra.Command {
	var egress bool
	var description string
	cmd := &cobra.Command{
		Use: "add GROUP RULE...", Short: "Add rules to a security group, all or none",
		Example: n.example("rule add "+n.sample.name+" tcp:80=0.0.0.0/0 udp:30000-32767=10.0.0.0/8", "rule add "+n.sample.name+" any="+n.sample.name),
		Args:    usage.MinArgs(2), ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			direction := simcloud.Ingress
			if egress {
				direction = simcloud.Egress
			}
			rules, err := parseRules("", args[1:], direction)
			if err != nil {
				return err
			}
			for i := range rules {
				rules[i].Description = description
			}
			id, err := n.id(ctx, c, args[0])
			if err = cmp.Or(err, resolveGroups(ctx, c, rules)); err != nil {
				return err
			}
			res, err := c.AddSecurityGroupRules(ctx, id, simcloud.SecurityGroupRules{Rules: rules})
			return n.result(ctx, c, out, res, err)
		}),
	}
	cmd.Flags().BoolVar(&egress, "egress", false, "rules for what goes, each with a destination in place of the source")
	cmd.Flags().StringVar(&description, "description", "", "text about the rules")
	n.addWait(cmd)
	return cmd
}

func newRuleRemoveCommand(n *noun[simcloud.SecurityGroup, *simcloud.SecurityGroup]) *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove GROUP RULE...", Short: "Remove rules of a security group by their ids, all or none",
		Example: n.example("rule remove " + n.sample.name + " sgr-1"),
		Args:    usage.MinArgs(2), ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			var rules simcloud.SecurityGroupRuleIDs
			for _, rule := range args[1:] {
				rules.Rules = append(rules.Rules, simcloud.ID(rule))
			}
			res, err := c.RemoveSecurityGroupRules(ctx, id, rules)
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}

// parseRules reads rules such as "tcp:80-443=0.0.0.0/0". A source that is no CIDR is a group.
func parseRules(flag string, texts []string, direction simcloud.Direction) ([]simcloud.SecurityGroupRuleSpec, error) {
	var rules []simcloud.SecurityGroupRuleSpec
	for _, text := range texts {
		rule, ok := parseRule(text)
		if !ok {
			return nil, exit.Usage(fmt.Errorf("%s%q is not PROTOCOL[:PORTS]=SOURCE, such as tcp:80-443=0.0.0.0/0 or any=sg-1", flag, text))
		}
		rule.Direction = direction
		rules = append(rules, rule)
	}
	return rules, nil
}

func parseRule(text string) (rule simcloud.SecurityGroupRuleSpec, ok bool) {
	traffic, source, ok := strings.Cut(text, "=")
	if !ok || source == "" {
		return rule, false
	}
	if strings.Contains(source, "/") {
		rule.CIDR = source
	} else {
		rule.Group = simcloud.ID(source)
	}
	protocol, ports, some := strings.Cut(traffic, ":")
	rule.Protocol = simcloud.RuleProtocol(protocol)
	if !some {
		return rule, protocol != ""
	}
	first, last, span := strings.Cut(ports, "-")
	if !span {
		last = first
	}
	var errFirst, errLast error
	rule.FromPort, errFirst = strconv.Atoi(first)
	rule.ToPort, errLast = strconv.Atoi(last)
	return rule, errFirst == nil && errLast == nil
}

// resolveGroups replaces the ids or names of groups in rules by ids.
func resolveGroups(ctx context.Context, c *client.Client, rules []simcloud.SecurityGroupRuleSpec) error {
	for i := range rules {
		if err := securityGroupNoun().resolve(ctx, c, &rules[i].Group); err != nil {
			return err
		}
	}
	return nil
}

// groupsCommand is "set-security-groups", for what can have groups.
func (n *noun[T, P]) groupsCommand(
	update func(*client.Client, context.Context, simcloud.ID, *[]simcloud.ID, ...simcloud.CallOption) (simcloud.Result[T], error),
) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set-security-groups ID [GROUP...]", Short: "Set the security groups, in place of all that were there; none takes them away",
		Example: n.example("set-security-groups "+n.sample.name+" front open", "set-security-groups "+n.sample.name),
		Args:    usage.MinArgs(1), ValidArgsFunction: n.completeFirst,
		RunE: n.Run(func(ctx context.Context, c *client.Client, out io.Writer, args []string) error {
			id, err := n.id(ctx, c, args[0])
			if err != nil {
				return err
			}
			groups, err := securityGroupNoun().resolved(ctx, c, args[1:])
			if err != nil {
				return err
			}
			groups = append([]simcloud.ID{}, groups...) // empty, not nil: what is null on the wire stays as it is
			res, err := update(c, ctx, id, &groups)
			return n.result(ctx, c, out, res, err)
		}),
	}
	n.addWait(cmd)
	return cmd
}
