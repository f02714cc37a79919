package cli

import (
	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
)

// addClusterFlags declares the flags of the commands that start clusters to test on: test, conformance and explore.
func (o *testOptions) addClusterFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.ccm, "ccm", "", "cloud controller manager: a command, or none (default: simcloud-ccm)")
	f.IntVar(&o.parallel, "parallel", defaultParallel, "number of clusters that run at the same time, each of which takes about 1.2 GB; 2 cores are busy with 3")
	f.Uint64Var(&o.seed, "seed", 1, "seed of ids and addresses")
	f.BoolVar(&o.keep, "keep", false, "folders of the clusters, with their data and logs, kept after the run")
	f.StringVar(&o.capabilities, "capabilities", "", "file that declares what the cloud controller manager can do; what needs more is left out (default: what the profile says, or everything)")
	o.backend.addFlags(cmd, backendNames)
}

// addRunFlags declares the flags of the commands that run scenarios, test and conformance, on top of those of clusters.
func (o *testOptions) addRunFlags(cmd *cobra.Command) {
	o.addClusterFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.selector, "selector", "l", "", "only scenarios with these labels, such as tier=core,area!=route; their names are the label name")
	_ = cmd.RegisterFlagCompletionFunc("selector", completeLabels) // the flag is there
	f.StringVar(&o.shard, "shard", "", "part i of n of the scenarios: i/n")
	f.StringVar(&o.knownFile, "known-failures", "", "file that lists the scenarios that the cloud controller manager is known to fail, each with its issue; they are reported as known failures, beside those of the profile")
	f.StringVar(&o.report, "report", "", "folder for report.html, report.json, junit.xml and the logs of everything that ran")
	f.StringVar(&o.summary, "summary", "", "file to which the report is appended as Markdown, such as $GITHUB_STEP_SUMMARY")
	f.IntVar(&o.retries, "retries", 0, "number of times that a failed scenario runs again, alone and after all others; one that passes then is reported as flaky")
	f.DurationVar(&o.timeout, "timeout", 0, "time after which the run ends, as by Ctrl-C, with exit code 1 (default: never)")
	f.BoolVar(&o.pause, "pause-on-failure", false, "pause until Enter is pressed when a scenario fails, with everything kept as it is")
	f.BoolVar(&o.failFast, "fail-fast", false, "no further scenario after one has failed")
	f.BoolVar(&o.strict, "strict", false, "a scenario that is undecided counts as one that failed, so that the exit code is 1")
	usage.ChoiceFlag(cmd, &o.format, "format", "", "form of the progress: text, or github for groups and annotations in the log of GitHub Actions", formatText, formatGitHub)
	usage.ChoiceFlag(cmd, &o.output, "output", "o", "form of the standard output: text, or json for an event a line, with the progress on the standard error", formatText, outputJSON)
	o.addFallback(cmd)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "one line for each step")
}

// describe gives a flag that several commands have the words for what it is of this one.
func describe(cmd *cobra.Command, flag, usage string) { cmd.Flags().Lookup(flag).Usage = usage }
