package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file again")

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sample are the figures of captured output of two runs.
func sample(t *testing.T) *figures {
	t.Helper()
	benchmarks, err := parseBenchmarks(readFile(t, "testdata/go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	up, steps, err := parseUp(readFile(t, "testdata/up.txt"))
	if err != nil {
		t.Fatal(err)
	}
	test, phases, err := parseReport([]byte(readFile(t, "../../scenarios/report/testdata/report.json")))
	if err != nil {
		t.Fatal(err)
	}
	histories, took, err := parseExplored("222 features seen\n\n222 histories in 1m0.6s, seed 3\n")
	if err != nil {
		t.Fatal(err)
	}
	return &figures{
		runs: 2, benchmarks: benchmarks, up: []float64{up, up + 1}, test: []float64{test, test}, upSteps: steps, phases: phases,
		library: []float64{14, 16}, mutants: []float64{20, 22}, histories: []float64{histories, histories}, history: []float64{took / histories, took / histories},
	}
}

// TestTable: each row is there, with the median of both runs.
func TestTable(t *testing.T) {
	found := sample(t)
	rows, err := read(found)
	if err != nil {
		t.Fatal(err)
	}
	var table, document bytes.Buffer
	if err := printTable(&table, rows, found); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/table.txt", table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(readFile(t, "testdata/table.txt"), table.String()); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	if err := printJSON(&document, rows, found); err != nil {
		t.Fatal(err)
	}
	if want := "\"what\": \"the four core scenarios, cluster start included\",\n      \"median\": 75.25,\n      \"unit\": \"s\""; !strings.Contains(document.String(), want) {
		t.Errorf("the document lacks %s:\n%s", want, document.String())
	}
}

// TestMissingFigure: the error names the row and what was looked for, and each missing one.
func TestMissingFigure(t *testing.T) {
	found := sample(t)
	delete(found.benchmarks, "RawBatch")
	delete(found.benchmarks["Event/foreign"], "foreign/none")
	found.benchmarks["Reset"]["ns/op"] = found.benchmarks["Reset"]["ns/op"][:1]
	found.test = nil
	_, err := read(found)
	for _, want := range []string{
		`the row "durable create at 64 clients / raw bbolt Batch": 0 figures "ns/op" of BenchmarkRawBatch in the output of go test, want 2`,
		`the row "one event to 500 streams of another project / to none": 0 figures "foreign/none" of BenchmarkEvent/foreign`,
		`the row "reset of 1,000 instances and their 1,000 operations": 1 figures "ns/op" of BenchmarkReset`,
		`the row "the four core scenarios, cluster start included": 0 times of simcloud test, want 2`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %s:\n%v", want, err)
		}
	}
}

// TestUnreadable: output without the figure is an error that says what was wanted.
func TestUnreadable(t *testing.T) {
	_, noBenchmark := parseBenchmarks("ok  \tx\t0.1s\n")
	_, noNumber := parseBenchmarks("BenchmarkX-2  10  fast ns/op\n")
	_, _, noReady := parseUp("  start etcd: 1.0 s\n")
	_, _, noTime := parseUp("ready after 0.0 s\n")
	_, _, noSeconds := parseReport([]byte(`{"parallel": 1, "phases": {"steps": 1}}`))
	_, _, noJSON := parseReport([]byte("4 passed, 0 failed in 51.2s on 2 clusters"))
	_, noRuns := parseRuns([]string{"0"})
	for want, err := range map[string]error{
		"no line such as \"BenchmarkX": noBenchmark, "BenchmarkX is no number": noNumber, "no line such as \"ready after": noReady,
		"took no time": noTime, "lacks seconds (0)": noSeconds, "report.json": noJSON, `invalid RUNS "0"`: noRuns,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it is %v, want %s", err, want)
		}
	}
}

// TestArguments: what cannot be asked for is refused before anything runs.
func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{"invalid -o": {"-o", "xml"}, "invalid RUNS": {"many"}, `"1 2"`: {"1", "2"}, "not defined": {"-x"}} {
		var stderr bytes.Buffer
		if err := bench(t.Context(), args, &stderr, &stderr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}
