// Command bench prints how fast things are: medians of several runs, as ratios to a
// limit measured in the same run where there is one, else beside the budget. It
// judges nothing, but a figure that it cannot read is an error.
//
//	bench [-o table|json] [RUNS]
//
// RUNS is 3 unless it is given. The binaries are those of "make build".
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := bench(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	output := flags.String("o", "table", "how to print: table or json")
	if err := flags.Parse(args); err != nil {
		return err
	}
	runs, err := parseRuns(flags.Args())
	if err != nil {
		return err
	}
	if *output != "table" && *output != "json" {
		return fmt.Errorf("invalid -o %q: must be table or json", *output)
	}
	found, err := measure(ctx, runs, stderr)
	if err != nil {
		return err
	}
	rows, err := read(found)
	if err != nil {
		return err
	}
	if *output == "json" {
		return printJSON(stdout, rows, found)
	}
	return printTable(stdout, rows, found)
}

func parseRuns(args []string) (int, error) {
	if len(args) == 0 {
		return 3, nil
	}
	runs, err := strconv.Atoi(args[0])
	if err != nil || runs < 1 || len(args) > 1 {
		return 0, fmt.Errorf("invalid RUNS %q: must be one whole number from 1", strings.Join(args, " "))
	}
	return runs, nil
}

func printJSON(w io.Writer, rows []row, found *figures) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Rows   []row              `json:"rows"`
		Phases map[string]float64 `json:"testPhaseSeconds"` // per cluster, of the last run
	}{rows, found.phases})
}

func printTable(w io.Writer, rows []row, found *figures) error {
	tabs := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(tabs, "what\tmedian\tlimit or budget")
	for _, r := range rows {
		fmt.Fprintf(tabs, "%s\t%s %s\t%s\n", r.What, short(r.Median), r.Unit, r.limit())
	}
	fmt.Fprintf(tabs, "\nhow the time of the last simcloud up divides\n")
	for _, line := range found.upSteps {
		fmt.Fprintln(tabs, line)
	}
	fmt.Fprintf(tabs, "\nhow the time of the last simcloud test divides, per cluster\n")
	for _, phase := range longestFirst(found.phases) {
		fmt.Fprintf(tabs, "  %s: %.1f s\n", phase, found.phases[phase])
	}
	return tabs.Flush()
}
