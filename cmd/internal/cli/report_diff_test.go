package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/scenarios"
	reports "github.com/simcloud-dev/simcloud/scenarios/report"
)

// TestReportDiff: it lists what differs, and fails for what newly failed alone.
func TestReportDiff(t *testing.T) {
	t.Parallel()
	passed, failed := scenarios.Result{Name: "lb", Status: scenarios.Passed, Seconds: 3}, scenarios.Result{Name: "lb", Status: scenarios.Failed, Seconds: 31.5, Failures: []scenarios.Failure{{Headline: "no \x1b[31mload balancer"}}}
	good, bad := reportFolder(t, "", passed), reportFolder(t, "", failed)
	for _, test := range []struct {
		args []string
		code int
		out  []string
		errs string
	}{
		{[]string{good, bad}, exit.CodeFailed, []string{"SCENARIO", "lb        newly failed  passed  failed  3.0          31.5         no \\x1b[31mload balancer"}, "simcloud: 1 scenario newly failed"},
		{[]string{bad, good}, exit.CodeOK, []string{"lb        newly passed  failed  passed"}, "1 newly passed: 1 scenario with seed 0 before"},
		{[]string{bad, bad}, exit.CodeOK, []string{"still failed"}, "1 still failed"},
		{[]string{good, good}, exit.CodeOK, nil, "no differences: "},
		{[]string{good, bad, "-o", "name"}, exit.CodeFailed, []string{"lb\n"}, "newly failed"},
		{[]string{good, good, "-o", "json"}, exit.CodeOK, []string{`"regressions": 0`, `"changes": []`}, ""},
		{[]string{good, "/no/such"}, exit.CodeUsage, nil, `"/no/such" is not a report folder`},
		{[]string{good}, exit.CodeUsage, nil, "missing argument"},
	} {
		code, out, errs := simcloudMain(append([]string{"report", "diff"}, test.args...)...)
		if code != test.code || !strings.Contains(errs, test.errs) || len(test.out) == 0 && out != "" {
			t.Errorf("%v: code %d, %q, %q; want %d and %q", test.args, code, out, errs, test.code, test.errs)
		}
		for _, part := range test.out {
			if !strings.Contains(out, part) {
				t.Errorf("%v: %q lacks %q", test.args, out, part)
			}
		}
	}
	_, out, _ := simcloudMain("report", "diff", good, bad, "-o", "json")
	var diff reports.Diff
	if err := json.Unmarshal([]byte(out), &diff); err != nil || diff.Regressions != 1 || diff.Changes[0].Kind != reports.NewlyFailed {
		t.Errorf("%v: %s", err, out)
	}
}
