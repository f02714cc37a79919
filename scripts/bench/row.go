package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// row is what is printed of one thing that was measured.
type row struct {
	What   string  `json:"what"`
	Median float64 `json:"median"`
	Unit   string  `json:"unit"`
	Budget string  `json:"budget,omitempty"`
	// Of are the medians that a ratio is of, or that stand beside the figure.
	Of     []float64 `json:"of,omitempty"`
	OfUnit string    `json:"ofUnit,omitempty"`
}

// limit is the budget, with what the figure is of.
func (r row) limit() string {
	if len(r.Of) == 0 {
		return r.Budget
	}
	var texts []string
	for _, value := range r.Of {
		texts = append(texts, short(value))
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s %s)", r.Budget, strings.Join(texts, " and "), r.OfUnit))
}

// definition says how a row is made of figures.
type definition struct {
	what, unit, budget string
	figure             figure
	of                 []figure
	ofUnit             string
}

// figure reads one figure, or says what it looked for.
type figure func(*figures) (float64, error)

// metric is the median of a metric of a Go benchmark.
func metric(benchmark, unit string) figure {
	return func(f *figures) (float64, error) {
		values := f.benchmarks[benchmark][unit]
		if len(values) != f.runs {
			return 0, fmt.Errorf("%d figures %q of Benchmark%s in the output of go test, want %d", len(values), unit, benchmark, f.runs)
		}
		return median(values), nil
	}
}

func nanoseconds(benchmark string) figure { return metric(benchmark, "ns/op") }

// ratio is one figure divided by another.
func ratio(a, b figure) figure {
	return func(f *figures) (float64, error) {
		above, errA := a(f)
		below, errB := b(f)
		if err := errors.Join(errA, errB); err != nil {
			return 0, err
		}
		if below == 0 {
			return 0, errors.New("the figure to divide by is 0")
		}
		return above / below, nil
	}
}

func milliseconds(ns figure) figure {
	return ratio(ns, func(*figures) (float64, error) { return 1e6, nil })
}

// seconds is the median of times that the product itself has told.
func seconds(what string, of func(*figures) []float64) figure {
	return func(f *figures) (float64, error) {
		if got := len(of(f)); got != f.runs {
			return 0, fmt.Errorf("%d times of %s, want %d", got, what, f.runs)
		}
		return median(of(f)), nil
	}
}

// ratioOf is a row of a ratio that shows both times.
func ratioOf(what, budget string, a, b figure) definition {
	return definition{what: what, unit: "x", budget: budget, figure: ratio(a, b), of: []figure{a, b}, ofUnit: "ns"}
}

var definitions = []definition{
	{what: "simcloud serve to its ready line, new file", unit: "ms", budget: "budget 100 ms", figure: metric("ServeReady/new_file", "ms/ready")},
	{what: "GET one instance / a bare mux handler with the same JSON", unit: "x", budget: "budget 0.8 x", figure: metric("GetInstance/in_turns", "bare/cloud")},
	{what: "GET one server of Hetzner's API / the native one", unit: "x", budget: "budget 0.8 x", figure: metric("Get/server", "of-native")},
	{what: "GET one load balancer of Hetzner's API / the native one", unit: "x", budget: "budget 0.8 x", figure: metric("Get/load_balancer", "of-native")},
	ratioOf("durable create at 64 clients / raw bbolt Batch", "budget 0.8 x", nanoseconds("RawBatch"), nanoseconds("CreateInstanceDurable")),
	ratioOf("a page by label at 100,000 instances / at 1,000", "budget 2 x at most", nanoseconds("ListPage/ByLabel/100000"), nanoseconds("ListPage/ByLabel/1000")),
	{what: "one event to 500 streams of its project / to none", unit: "x", figure: metric("Event/own", "own/none")},
	{what: "one event to 500 streams of another project / to none", unit: "x", budget: "budget 1.2 x at most", figure: metric("Event/foreign", "foreign/none")},
	{what: "memory at 100,000 instances, beside the file", unit: "MB", figure: metric("Memory", "MB/heap"), of: []figure{metric("Memory", "MB/file")}, ofUnit: "MB in the file"},
	{what: "opening a file of 100,000 instances, all of it checked", unit: "ms", budget: "budget 1000 ms", figure: milliseconds(nanoseconds("Open"))},
	{what: "reset of 1,000 instances and their 1,000 operations", unit: "ms", budget: "budget 10 ms", figure: milliseconds(nanoseconds("Reset"))},
	{what: "TCP through a load balancer / a bare proxy, 1 connection", unit: "x", budget: "budget 0.6 x", figure: metric("Throughput/connections=1", "speed/bare")},
	{what: "the same, 16 connections", unit: "x", budget: "budget 0.6 x", figure: metric("Throughput/connections=16", "speed/bare")},
	{what: "a connection through a load balancer / a bare proxy", unit: "x", budget: "budget 1.5 x at most", figure: metric("Connect", "latency/bare")},
	{what: "a request on an open connection", unit: "x", budget: "budget 1.5 x at most", figure: metric("Request", "latency/bare")},
	{what: "simcloud up to all taints removed, 3 nodes", unit: "s", budget: "budget 8 s", figure: seconds("simcloud up", func(f *figures) []float64 { return f.up })},
	{what: "the four core scenarios, cluster start included", unit: "s", budget: "budget 60 s", figure: seconds("simcloud test", func(f *figures) []float64 { return f.test })},
	{what: "the whole library in simulated time", unit: "s", budget: "budget 15 s", figure: seconds("simcloud test --backend simulated", func(f *figures) []float64 { return f.library })},
	{what: "each mutant with its scenario in simulated time", unit: "s", budget: "budget 30 s", figure: seconds("mutantccm --simulate", func(f *figures) []float64 { return f.mutants })},
	{what: "random histories in simulated time, a minute", unit: "", budget: "budget 400 at least", figure: seconds("simcloud explore", func(f *figures) []float64 { return f.histories })},
	{what: "one of them, on one core", unit: "s", budget: "budget 0.3 s", figure: seconds("simcloud explore", func(f *figures) []float64 { return f.history })},
}

// read makes the rows, or names each one that lacks a figure.
func read(f *figures) ([]row, error) {
	var rows []row
	var errs []error
	for _, d := range definitions {
		r := row{What: d.what, Unit: d.unit, Budget: d.budget, OfUnit: d.ofUnit}
		var err error
		r.Median, err = d.figure(f)
		for _, of := range d.of {
			value, ofErr := of(f)
			if err == nil {
				err = ofErr
			}
			r.Of = append(r.Of, value)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the row %q: %w", d.what, err))
		}
		rows = append(rows, r)
	}
	return rows, errors.Join(errs...)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}

// short writes three digits that count.
func short(value float64) string {
	text := strconv.FormatFloat(value, 'g', 3, 64)
	if strings.Contains(text, "e") {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	return text
}

// longestFirst are the names of phases that took any time.
func longestFirst(phases map[string]float64) []string {
	names := slices.Sorted(maps.Keys(phases))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(phases[b], phases[a]) })
	return slices.DeleteFunc(names, func(name string) bool { return phases[name] < 0.05 })
}
