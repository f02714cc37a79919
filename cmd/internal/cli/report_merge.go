package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/conformance"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
	scenariorun "github.com/simcloud-dev/simcloud/scenarios/run"
)

// mergeOptions are the flags of report merge.
type mergeOptions struct {
	report  string
	summary string
	repeats bool
}

func newReportMergeCommand(io output.Streams) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge DIR... --report DIR",
		Short: "Merge the reports of shards, or of repeats, into one",
		Long: `Merge several report folders into one: report.html, report.json, report.md,
junit.xml and the logs.

The folders are those of the shards of one run: of one cloud controller manager, one
version of simcloud, one seed and the same flags. Each scenario is in one of them. When a
shard is missing, the report is written without it and tells that. Of folders of "simcloud
conformance", the clauses are judged by all shards together.

With --repeats the folders may have the same scenarios, and other seeds: each result is
a repetition, such as lb-retry#2, in the order of the folders.

The exit code is 0 when the report was written, whatever it reports, and 2 when the folders
cannot be merged.`,
		Example: `  simcloud report merge out-1 out-2 out-3 --report out
  simcloud report merge monday tuesday --repeats --report week`,
		Args: usage.MinArgs(1),
		RunE: func(_ *cobra.Command, dirs []string) error { return mergeReports(io, o, dirs) },
	}
	f := cmd.Flags()
	f.StringVar(&o.report, "report", "", "folder for the merged report")
	f.StringVar(&o.summary, "summary", "", "file to which the report is appended as Markdown, such as $GITHUB_STEP_SUMMARY")
	f.BoolVar(&o.repeats, "repeats", false, "results of the same scenario kept as its repetitions")
	return cmd
}

func mergeReports(io output.Streams, o mergeOptions, dirs []string) error {
	if o.report == "" {
		return exit.Usage(errors.New("--report is not set: want the folder for the merged report"))
	}
	folders, err := loadReports(dirs)
	if err != nil {
		return err
	}
	merged, err := reports.Merge(folders, o.repeats)
	if err != nil {
		return exit.Usage(err)
	}
	if err := merged.CheckFolder(o.report); err != nil {
		return exit.Usage(fmt.Errorf("--report: %w", err))
	}
	if err := errors.Join(prepareReport(o.report), prepareSummary(o.summary)); err != nil {
		return err
	}
	found, err := mergeVerdicts(folders, merged.Report, o.repeats)
	if err != nil {
		return exit.Usage(err)
	}
	if err := merged.Write(o.report); err != nil {
		return exit.Environment(err)
	}
	if missing := merged.Report.Missing; len(missing) > 0 {
		fmt.Fprintf(io.Err, "no folder has the parts %s of the run: their scenarios are not in the report\n", strings.Join(missing, ", "))
	}
	if found == nil {
		fmt.Fprint(io.Out, reports.Summary(merged.Report))
		return writeReport(testOptions{summary: o.summary}, merged.Report)
	}
	fmt.Fprint(io.Out, conformance.Text(*found))
	written := conformanceOptions{testOptions: testOptions{summary: o.summary}}.write(*found, merged.Report)
	if err := conformance.Write(o.report, *found); err != nil {
		return errors.Join(written, exit.Environment(err))
	}
	return written
}

// mergeVerdicts judges the clauses by the merged report, when the folders are of simcloud conformance; nil when they are
// not. Repetitions have names of their own, by which no clause can be judged.
func mergeVerdicts(folders []reports.Folder, merged scenarios.Report, repeats bool) (*conformance.Verdict, error) {
	var verdicts []conformance.Verdict
	var without []string
	for _, f := range folders {
		verdict, err := conformance.Load(f.File(conformance.FileName))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			without = append(without, f.Path)
			continue
		case err != nil:
			return nil, err
		}
		verdicts = append(verdicts, verdict)
	}
	switch {
	case len(verdicts) == 0 || repeats:
		return nil, nil
	case len(without) > 0:
		return nil, fmt.Errorf("cannot merge reports of simcloud conformance with those of simcloud test: %s has no %s", without[0], conformance.FileName)
	}
	all, err := scenariorun.Library()
	if err != nil {
		return nil, err
	}
	found, err := conformance.Merge(verdicts, merged, all)
	return &found, err
}

// loadReports reads all folders, and reports all that are no report.
func loadReports(dirs []string) (folders []reports.Folder, err error) {
	for _, dir := range dirs {
		folder, loadErr := reports.Load(dir)
		err = errors.Join(err, loadErr)
		folders = append(folders, folder)
	}
	if err != nil {
		return nil, exit.Usage(err)
	}
	return folders, nil
}
