package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// figures are what all runs have given.
type figures struct {
	runs int
	// benchmarks are the metrics by the name of their benchmark and their unit.
	benchmarks map[string]map[string][]float64
	up, test   []float64 // seconds
	// In simulated time: the seconds of the library and of the mutants, histories a minute, and the seconds of a core that one takes.
	library, mutants, histories, history []float64
	// Of the last run: the lines of up, and the seconds of a cluster in each phase of test.
	upSteps []string
	phases  map[string]float64
}

// benchmarkRE is a result of go test: the name, with the number of processors behind it, how often it ran, and its metrics.
var benchmarkRE = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?[ \t]+\d+[ \t]+(\S.*)$`)

// parseBenchmarks reads the output of go test.
func parseBenchmarks(output string) (map[string]map[string][]float64, error) {
	found := map[string]map[string][]float64{}
	for _, match := range benchmarkRE.FindAllStringSubmatch(output, -1) {
		name, fields := match[1], strings.Fields(match[2])
		if found[name] == nil {
			found[name] = map[string][]float64{}
		}
		for i := 0; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("a metric of Benchmark%s is no number: %s", name, match[0])
			}
			found[name][fields[i+1]] = append(found[name][fields[i+1]], value)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no line such as \"BenchmarkX  10  123 ns/op\" in the output of go test")
	}
	return found, nil
}

// readyRE is the last line that simcloud up writes of its progress.
var readyRE = regexp.MustCompile(`(?m)^ready after ([0-9.]+) s$`)

// parseUp reads the progress of simcloud up: how many seconds it took, and its steps.
func parseUp(progress string) (float64, []string, error) {
	match := readyRE.FindStringSubmatch(progress)
	if match == nil {
		return 0, nil, fmt.Errorf("no line such as \"ready after 4.2 s\" in the progress of simcloud up:\n%s", progress)
	}
	took, err := strconv.ParseFloat(match[1], 64)
	if err != nil || took <= 0 {
		return 0, nil, fmt.Errorf("simcloud up took no time: %q", match[0])
	}
	return took, strings.Split(strings.Trim(progress, "\n"), "\n"), nil
}

// parseReport reads the report.json of simcloud test: how many seconds it took, and those of a cluster in each phase.
func parseReport(raw []byte) (float64, map[string]float64, error) {
	var report struct {
		Seconds  float64            `json:"seconds"`
		Parallel int                `json:"parallel"`
		Phases   map[string]float64 `json:"phases"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return 0, nil, fmt.Errorf("report.json of simcloud test: %w", err)
	}
	if report.Seconds <= 0 || report.Parallel < 1 || len(report.Phases) == 0 {
		return 0, nil, fmt.Errorf("report.json of simcloud test lacks seconds (%v), parallel (%d) or phases (%v)", report.Seconds, report.Parallel, report.Phases)
	}
	for phase := range report.Phases {
		report.Phases[phase] /= float64(report.Parallel)
	}
	return report.Seconds, report.Phases, nil
}

// exploredRE is what simcloud explore says at its end.
var exploredRE = regexp.MustCompile(`(?m)^(\d+) histories in (\S+), seed \d+$`)

// parseExplored reads the end of simcloud explore: how many histories it ran, and in how many seconds.
func parseExplored(output string) (histories, seconds float64, err error) {
	match := exploredRE.FindStringSubmatch(output)
	if match == nil {
		return 0, 0, fmt.Errorf("no line such as \"222 histories in 1m0.6s, seed 3\" in the output of simcloud explore:\n%s", output)
	}
	n, err := strconv.Atoi(match[1])
	took, errTook := time.ParseDuration(match[2])
	if err := errors.Join(err, errTook); err != nil || n == 0 || took <= 0 {
		return 0, 0, fmt.Errorf("simcloud explore ran nothing: %q: %w", match[0], err)
	}
	return float64(n), took.Seconds(), nil
}
