package cloud

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/connect"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// setting is one line of a configuration.
type setting struct{ name, value string }

var settingTable = output.Table[setting]{
	output.Col("SETTING", func(s setting) string { return s.name }),
	output.Col("VALUE", func(s setting) string { return s.value }),
}

func newConfigCommand() *cobra.Command {
	var s connect.Session
	return s.Command(&cobra.Command{Use: "config", Short: "Manage how the cloud behaves", Args: usage.KnownCommand, RunE: usage.ShowHelp},
		newConfigGetCommand(&s), newConfigSetCommand(&s))
}

func newConfigGetCommand(s *connect.Session) *cobra.Command {
	return &cobra.Command{
		Use: "get", Short: "Show how the cloud behaves", Args: usage.NoArgs,
		Example: "  simcloud config get\n  simcloud config get -o yaml",
		RunE: s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			config, err := c.GetConfig(ctx)
			if err != nil {
				return err
			}
			return printConfig(out, s.Out, config)
		}),
	}
}

func printConfig(out io.Writer, f output.Format, config simcloud.Config) error {
	if f.IsDocument() {
		return output.Document(out, f, config)
	}
	return settingTable.List(out, f, settings(config))
}

func settings(config simcloud.Config) []setting {
	all := []setting{{"progression", config.Progression.String()}}
	for _, kind := range slices.Sorted(maps.Keys(config.Progressions)) {
		all = append(all, setting{"progression of " + string(kind), config.Progressions[kind].String()})
	}
	all = append(all,
		setting{"stale lists", config.Consistency.StaleLists.String()},
		setting{"stale gets", config.Consistency.StaleGets.String()},
		setting{"hide new", config.Consistency.HideNew.String()})
	for _, rate := range config.Rates {
		all = append(all, setting{"rate of " + rate.Class, strconv.FormatFloat(rate.PerSecond, 'g', -1, 64) + "/s, burst " + strconv.Itoa(rate.Burst) + sharedBy(rate)})
	}
	targets := "any number"
	if config.MaxTargets > 0 {
		targets = strconv.Itoa(config.MaxTargets)
	}
	routes := config.MaxRoutes
	if routes == 0 {
		routes = simcloud.DefaultRouteLimit
	}
	rules := config.MaxSecurityGroupRules
	if rules == 0 {
		rules = simcloud.DefaultSecurityGroupRules
	}
	for _, class := range config.LoadBalancerClasses {
		all = append(all, setting{"load balancer class " + class.Name, classText(class)})
	}
	for _, v := range simcloud.DialectVariants() {
		all = append(all, setting{"variant " + v.Name, config.Variant(v.Name)})
	}
	return append(all,
		setting{"idempotency keys", config.IdempotencyTTL.String()},
		setting{"targets of a new load balancer", targets},
		setting{"unique names", textsOrNone(config.UniqueNames)},
		setting{"changes while busy", textsOrNone(config.ChangesWhileBusy)},
		setting{"routes of a new table", strconv.Itoa(routes)},
		setting{"rules of a security group", strconv.Itoa(rules)},
		setting{"groups of new instances", groupsOfNew(config.DefaultSecurityGroups)},
		setting{"rules for routes", textsOrNone(config.RouteRules)},
		setting{"hostnames of new instances", string(cmp.Or(config.Hostnames, simcloud.HostnameName))},
		setting{"ids after a reset", idsAfter(config.KeepIDs)})
}

// sharedBy says who shares a rate, unless each token has its own.
func sharedBy(rate simcloud.Rate) string {
	if rate.Scope == simcloud.RateOfProject {
		return ", of each project"
	}
	return ""
}

func idsAfter(kept bool) string {
	if kept {
		return "go on"
	}
	return "begin again"
}

// groupsOfNew says which security groups an instance has that is created without any.
func groupsOfNew(defaults bool) string {
	if defaults {
		return "the default group of the network"
	}
	return "none"
}

func textsOrNone[T ~string](texts []T) string {
	if len(texts) == 0 {
		return "none"
	}
	return output.JoinCells(texts, func(text T) string { return string(text) })
}

// configFlags are the flags of "config set".
type configFlags struct {
	progression, progressions []string
	staleLists, staleGets     time.Duration
	hideNew, keys             time.Duration
	rates                     []string
	keepIDs, defaultGroups    bool
	targets, routes, maxRules int
	unique, rules, classes    []string
	busy                      []string
	variants                  []string
	hostnames                 string
}

func newConfigSetCommand(s *connect.Session) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use: "set", Short: "Change how the cloud behaves, now and after restarts; what is not given stays", Args: usage.NoArgs,
		Example: "  simcloud config set --progression time=5s,jitter=2s --progression-of load_balancer=polls=3\n" +
			"  simcloud config set --stale-lists 3s --rate write=5,10",
	}
	flags.add(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("progression", CompleteProgression) // the flags are there
	_ = cmd.RegisterFlagCompletionFunc("rate", cobra.NoFileCompletions)
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := func(flag string) bool { return usage.Given(cmd, flag) }
		if !slices.ContainsFunc(names, given) {
			return exit.Usage(fmt.Errorf("nothing to set: give at least one of --%s", strings.Join(names, ", --")))
		}
		return s.Run(func(ctx context.Context, c *client.Client, out io.Writer, _ []string) error {
			return setConfig(ctx, c, out, s.Out, flags, given)
		})(cmd, args)
	}
	return cmd
}

func setConfig(ctx context.Context, c *client.Client, out io.Writer, f output.Format, flags configFlags, given func(string) bool) error {
	var old simcloud.Config
	var err error
	if given("stale-lists") || given("stale-gets") || given("hide-new") {
		if old, err = c.GetConfig(ctx); err != nil {
			return err
		}
	}
	update, err := flags.update(given, old.Consistency)
	if err != nil {
		return exit.Usage(err)
	}
	config, err := c.UpdateConfig(ctx, update)
	if err != nil {
		return err
	}
	return printConfig(out, f, config)
}

func (f *configFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.progression, "progression", nil, "time that operations take: immediate, time=5s, time=5s,jitter=1s or polls=3")
	flags.StringArrayVar(&f.progressions, "progression-of", nil, "exception KIND=PROGRESSION for instance, load_balancer, volume or route_table; can be repeated and replaces all, none for no exceptions")
	flags.DurationVar(&f.staleLists, "stale-lists", 0, "age of lists")
	flags.DurationVar(&f.staleGets, "stale-gets", 0, "age of single resources that are read")
	flags.DurationVar(&f.hideNew, "hide-new", 0, "time that reads do not show what is new")
	flags.StringArrayVar(&f.rates, "rate", nil, "limit CLASS=PERSECOND,BURST for read, write or operations such as 'Create*', of each token or with ,project behind it of each project; can be repeated and replaces all, none for no limits")
	flags.DurationVar(&f.keys, "idempotency-ttl", 0, "time that idempotency keys are known")
	flags.StringSliceVar(&f.unique, "unique-names", nil, "kinds whose names are unique in a project, such as instance,load_balancer; can be repeated and replaces all, none for no kind")
	flags.StringSliceVar(&f.busy, "changes-while-busy", nil, "kinds that take changes while an operation runs: load_balancer, instance, and floating_ip, which are then attached and detached meanwhile; replaces all, none for no kind")
	flags.BoolVar(&f.keepIDs, "keep-ids", false, "ids that go on after a reset instead of beginning again")
	flags.StringSliceVar(&f.rules, "route-rules", nil, "rules for new routes: no_overlap, gateway_in_network, private_destination; can be repeated and replaces all, none for no rule")
	flags.IntVar(&f.routes, "max-routes", 0, fmt.Sprintf("number of routes that a new route table takes, 0 for %d", simcloud.DefaultRouteLimit))
	flags.StringVar(&f.hostnames, "hostnames", "", "hostname of a new instance that names none: name, private_dns (ip-10-0-0-5.REGION.compute.internal) or resource_id (i-7.REGION.compute.internal)")
	flags.IntVar(&f.maxRules, "max-security-group-rules", 0, fmt.Sprintf("number of rules that a security group takes, 0 for %d", simcloud.DefaultSecurityGroupRules))
	flags.BoolVar(&f.defaultGroups, "default-security-groups", false, "group of its network called default for an instance that is created without groups")
	flags.StringArrayVar(&f.classes, "lb-class", nil, "class NAME=TARGETS,LISTENERS of load balancers, with its limits; can be repeated and replaces all, none for no classes")
	flags.StringArrayVar(&f.variants, "dialect-variant", nil, "answer NAME=VALUE to what is not known of another cloud, see 'simcloud dialect show'; can be repeated and replaces all, none for those that hold by default")
	flags.IntVar(&f.targets, "max-targets", 0, "number of targets that a new load balancer takes, 0 for any number")
}

// update is what the flags that were given ask for.
func (f *configFlags) update(given func(string) bool, consistency simcloud.Consistency) (update simcloud.ConfigUpdate, err error) {
	if update, err = f.parsed(given); err != nil {
		return update, err
	}
	for flag, value := range map[string]struct {
		from time.Duration
		to   *simcloud.Duration
	}{
		"stale-lists": {f.staleLists, &consistency.StaleLists},
		"stale-gets":  {f.staleGets, &consistency.StaleGets},
		"hide-new":    {f.hideNew, &consistency.HideNew},
	} {
		if given(flag) {
			*value.to, update.Consistency = simcloud.Duration(value.from), &consistency
		}
	}
	if given("idempotency-ttl") {
		ttl := simcloud.Duration(f.keys)
		update.IdempotencyTTL = &ttl
	}
	if given("unique-names") {
		update.UniqueNames = listOrNone[simcloud.Kind](f.unique)
	}
	if given("changes-while-busy") {
		update.ChangesWhileBusy = listOrNone[simcloud.Kind](f.busy)
	}
	if given("route-rules") {
		update.RouteRules = listOrNone[simcloud.RouteRule](f.rules)
	}
	if given("max-routes") {
		update.MaxRoutes = &f.routes
	}
	if given("hostnames") {
		form := simcloud.HostnameForm(f.hostnames)
		update.Hostnames = &form
	}
	if given("max-security-group-rules") {
		update.MaxSecurityGroupRules = &f.maxRules
	}
	if given("default-security-groups") {
		update.DefaultSecurityGroups = &f.defaultGroups
	}
	if given("keep-ids") {
		update.KeepIDs = &f.keepIDs
	}
	if given("max-targets") {
		update.MaxTargets = &f.targets
	}
	return update, nil
}

// parsed is what those of the flags ask for whose text has a form of its own.
func (f *configFlags) parsed(given func(string) bool) (update simcloud.ConfigUpdate, err error) {
	if given("progression") {
		p, err := simcloud.ParseProgression(f.progression[len(f.progression)-1])
		if err != nil {
			return update, err
		}
		update.Progression = &p
	}
	if given("progression-of") {
		exceptions, err := parseProgressions(f.progressions)
		if err != nil {
			return update, err
		}
		update.Progressions = &exceptions
	}
	if given("rate") {
		rates, err := parseRates(f.rates)
		if err != nil {
			return update, err
		}
		update.Rates = &rates
	}
	if given("lb-class") {
		classes, err := parseClasses(f.classes)
		if err != nil {
			return update, err
		}
		update.LoadBalancerClasses = &classes
	}
	if given("dialect-variant") {
		variants, err := parseVariants(f.variants)
		if err != nil {
			return update, err
		}
		update.DialectVariants = &variants
	}
	return update, nil
}

// parseVariants reads NAME=VALUE of variants of dialects; none stands for none.
func parseVariants(texts []string) (map[string]string, error) {
	variants := map[string]string{}
	for _, text := range texts {
		if text == "none" {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--dialect-variant %s: must be NAME=VALUE, such as %s=sha1", text, simcloud.VariantHcloudCertificateFingerprint)
		}
		variants[name] = value
	}
	return variants, nil
}

// listOrNone is a list in which none stands for nothing.
func listOrNone[T ~string](texts []string) *[]T {
	list := []T{}
	for _, text := range texts {
		if text != "none" {
			list = append(list, T(text))
		}
	}
	return &list
}

func parseProgressions(texts []string) (map[simcloud.Kind]simcloud.Progression, error) {
	exceptions := map[simcloud.Kind]simcloud.Progression{}
	for _, text := range texts {
		if text == "none" {
			continue
		}
		kind, progression, _ := strings.Cut(text, "=")
		p, err := simcloud.ParseProgression(progression)
		if err != nil {
			return nil, fmt.Errorf("--progression-of %q is not KIND=PROGRESSION: %w", text, err)
		}
		exceptions[simcloud.Kind(kind)] = p
	}
	return exceptions, nil
}

func parseRates(texts []string) ([]simcloud.Rate, error) {
	rates := []simcloud.Rate{}
	for _, text := range texts {
		if text == "none" {
			continue
		}
		class, numbers, _ := strings.Cut(text, "=")
		perSecond, burst, _ := strings.Cut(numbers, ",")
		burst, scope, _ := strings.Cut(burst, ",")
		rate := simcloud.Rate{Class: class, Scope: simcloud.RateScope(scope)}
		var errRate, errBurst error
		rate.PerSecond, errRate = strconv.ParseFloat(perSecond, 64)
		rate.Burst, errBurst = strconv.Atoi(burst)
		if errRate != nil || errBurst != nil {
			return nil, fmt.Errorf("--rate %q is not CLASS=PERSECOND,BURST or CLASS=PERSECOND,BURST,project, such as write=5,10", text)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}
