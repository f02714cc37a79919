package cloud

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// mostCalls is how many of the latest calls top shows.
const mostCalls = 20

// look is what a cloud had and did at a moment.
type look struct {
	clock  simcloud.ClockStatus
	state  simcloud.State
	faults []faultRow
	calls  []simcloud.JournalEntry // those that change the cloud, the newest first
}

// viewer looks at a cloud again and again. It reads each call once: a journal can be long.
type viewer struct {
	client *client.Client
	calls  []simcloud.JournalEntry // the latest ones that it has read, the oldest first
	at     uint64                  // the revision that it has seen
}

// look reads what the cloud has now.
func (v *viewer) look(ctx context.Context) (seen look, err error) {
	c := v.client
	if seen.clock, err = c.GetClock(ctx); err != nil {
		return look{}, err
	}
	if seen.state, err = c.GetState(ctx); err != nil {
		return look{}, err
	}
	rules, err := c.ListFaults(ctx)
	if err != nil {
		return look{}, err
	}
	if seen.faults, err = faultRows(ctx, c, rules); err != nil {
		return look{}, err
	}
	if seen.state.Revision < v.at {
		v.calls = nil // another cloud answers, whose numbers begin again
	}
	v.at = seen.state.Revision
	filter := simcloud.JournalFilter{Writes: true}
	if len(v.calls) > 0 {
		filter.After = v.calls[len(v.calls)-1].Seq
	}
	calls, err := c.ListJournal(ctx, filter)
	if err != nil {
		return look{}, err
	}
	v.calls = append(v.calls, calls...)
	v.calls = slices.Clone(v.calls[max(0, len(v.calls)-mostCalls):])
	seen.calls = slices.Clone(v.calls)
	slices.Reverse(seen.calls)
	return seen, nil
}

// text is what top shows: a line about the cloud, and a table of each thing that there is.
func (l look) text(endpoint string) (string, error) {
	text := &bytes.Buffer{}
	fmt.Fprintf(text, "simcloud %s, clock %s %s, revision %d\n", endpoint, l.clock.Mode, l.clock.Now.UTC().Format("15:04:05"), l.state.Revision)
	err := cmp.Or(
		section(text, "ZONES", zoneTable, l.zones()),
		section(text, "LOAD BALANCERS", topBalancerTable, l.state.LoadBalancers),
		section(text, "FAULTS", faultTable, l.faults),
		section(text, "CHANGING CALLS, THE LATEST FIRST", journalTable, l.calls),
	)
	return text.String(), err
}

// section writes a table under its title; nothing of what there is none of.
func section[T any](text *bytes.Buffer, title string, table output.Table[T], items []T) error {
	if len(items) == 0 {
		return nil
	}
	fmt.Fprintf(text, "\n%s\n", title)
	return table.List(text, output.FormatTable, items)
}

// zoneRow is a zone with its instances.
type zoneRow struct {
	simcloud.Zone
	states map[simcloud.InstanceState]int
}

var zoneTable = output.Table[zoneRow]{
	output.Col("ZONE", func(z zoneRow) string { return cmp.Or(z.Name, string(z.ID)) }),
	output.Col("STATE", func(z zoneRow) string { return string(z.State) }),
	output.Col("INSTANCES", func(z zoneRow) string {
		all := 0
		for _, count := range z.states {
			all += count
		}
		return strconv.Itoa(all)
	}),
	output.Col("BY STATE", func(z zoneRow) string {
		var parts []string
		for _, state := range slices.Sorted(maps.Keys(z.states)) {
			parts = append(parts, fmt.Sprintf("%d %s", z.states[state], state))
		}
		return strings.Join(parts, ", ")
	}),
}

// zones are the zones in their order, each with the machines in it.
func (l look) zones() (rows []zoneRow) {
	at := map[string]int{}
	for _, zone := range l.state.Zones {
		at[string(zone.ID)] = len(rows)
		rows = append(rows, zoneRow{zone, map[simcloud.InstanceState]int{}})
	}
	for _, vm := range l.state.Instances {
		if i, known := at[string(vm.Zone)]; known {
			rows[i].states[vm.State]++
		}
	}
	return rows
}

var topBalancerTable = output.Table[simcloud.LoadBalancer]{
	output.Col("NAME", func(lb simcloud.LoadBalancer) string { return cmp.Or(lb.Name, string(lb.ID)) }),
	output.Col("STATE", func(lb simcloud.LoadBalancer) string { return string(lb.State) }),
	output.Col("VIPS", func(lb simcloud.LoadBalancer) string {
		var all []string
		for _, vip := range lb.VIPs {
			all = append(all, fmt.Sprint(vip.Address))
		}
		return strings.Join(all, ",")
	}),
	output.Col("LISTENERS", func(lb simcloud.LoadBalancer) string {
		var all []string
		for _, listener := range lb.Listeners {
			all = append(all, fmt.Sprintf("%s:%d", listener.Protocol, listener.Port))
		}
		return strings.Join(all, ",")
	}),
	output.Col("HEALTHY", func(lb simcloud.LoadBalancer) string {
		healthy := 0
		for _, target := range lb.Targets {
			if target.Health == simcloud.TargetHealthy {
				healthy++
			}
		}
		return fmt.Sprintf("%d of %d", healthy, len(lb.Targets))
	}),
}
