package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simcloud-dev/simcloud/scenarios/explore"
	"github.com/simcloud-dev/simcloud/scenarios/mutant"
	"github.com/simcloud-dev/simcloud/scenarios/run"
	"github.com/simcloud-dev/simcloud/scenarios/simulation"
)

// search is which mutants are looked for, by which seeds, and for how long each.
type search struct {
	bugs  []string
	seeds uint64
	limit time.Duration
}

// find is what one seed has found of a mutant.
type find struct {
	Bug       string  `json:"bug"`
	Seed      uint64  `json:"seed"`
	Found     bool    `json:"found"`
	Histories int     `json:"histories"`
	Seconds   float64 `json:"seconds"`
	// Says is what the violation breaks.
	Says string `json:"says,omitempty"`
}

func parseSearch(args []string, stderr io.Writer) (search, error) {
	var s search
	flags := flag.NewFlagSet("mutantccm explore", flag.ContinueOnError)
	flags.SetOutput(stderr)
	bugs := flags.String("bugs", "", "mutants, divided by commas (default: all)")
	flags.Uint64Var(&s.seeds, "seeds", 20, "how many seeds look for each, from 1")
	flags.DurationVar(&s.limit, "time", 2*time.Minute, "how long each seed looks for one")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q: mutants are named by --bugs", flags.Arg(0))
	case s.seeds == 0:
		return s, errors.New("invalid --seeds 0: must be 1 or more")
	case s.limit <= 0:
		return s, fmt.Errorf("invalid --time %s: must be positive", s.limit)
	case *bugs == "":
		for _, m := range mutant.All() {
			s.bugs = append(s.bugs, m.Name)
		}
		return s, nil
	}
	s.bugs = strings.Split(*bugs, ",")
	for _, bug := range s.bugs {
		if _, err := mutant.Find(bug); err != nil {
			return s, fmt.Errorf("--bugs: %w", err)
		}
	}
	return s, nil
}

// exploreMutants looks for each mutant by each seed, in simulated time, as many at a time as there are cores. It writes a line of
// JSON for each, and at the end how many mutants at least half of the seeds have found.
func exploreMutants(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseSearch(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err == nil {
		err = simulation.Prepare()
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var mu sync.Mutex
	lines, found := json.NewEncoder(stdout), map[string]uint64{}
	searches, ctx := errgroup.WithContext(ctx)
	searches.SetLimit(runtime.GOMAXPROCS(0))
	for seed := range s.seeds {
		for _, bug := range s.bugs {
			searches.Go(func() error {
				f, err := s.find(ctx, bug, seed+1, dir)
				if err != nil {
					return fmt.Errorf("%s, seed %d: %w", bug, seed+1, err)
				}
				mu.Lock()
				defer mu.Unlock()
				if f.Found {
					found[bug]++
				}
				return lines.Encode(f)
			})
		}
	}
	err = searches.Wait()
	missed := slices.DeleteFunc(slices.Clone(s.bugs), func(bug string) bool { return 2*found[bug] >= s.seeds })
	fmt.Fprintf(stdout, "%d of %d mutants are found by at least half of %d seeds within %s; not so: %s\n",
		len(s.bugs)-len(missed), len(s.bugs), s.seeds, s.limit, strings.Join(missed, ", "))
	return err
}

// find looks for one mutant by one seed. What it finds is not shrunk.
func (s search) find(ctx context.Context, bug string, seed uint64, dir string) (find, error) {
	m, err := mutant.Find(bug)
	if err != nil {
		return find{}, err
	}
	open := func(ctx context.Context, _ int) (run.Cluster, error) {
		return simulation.Start(ctx, simulation.Config{Subject: m.Subject(), Seed: seed, Dir: dir})
	}
	corpus, err := os.MkdirTemp(dir, "corpus-")
	if err != nil {
		return find{}, err
	}
	explorer := explore.Explorer{
		Runner: explore.Apart(open, simulation.Isolate(nil), seed), Parallel: 1, Seed: seed, Time: s.limit, Corpus: corpus, Lags: true, Progress: func(string) {},
	}
	began := time.Now()
	report, err := explorer.Run(ctx)
	f := find{Bug: bug, Seed: seed, Histories: report.Histories, Seconds: time.Since(began).Seconds()}
	if v := report.Violation; v != nil {
		f.Found, f.Says = true, strings.TrimSpace(v.Failure.Oracle+" "+v.Failure.Because)
	}
	return f, err
}
