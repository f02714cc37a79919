package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// Limits of a text of others in a failure, in bytes: of what a CCM, a cloud or the cluster has said, or of a value. The end of an error
// says why, so both ends are kept.
const (
	mostText     = 600
	mostHeadline = 4000
	keptEnd      = 200
)

// wholeFile is where a scenario's folder of logs has the failures whose texts were cut.
const wholeFile = "failures.txt"

// brief is a failure without the middle of its long texts, and with how many those were.
func brief(f scenarios.Failure) scenarios.Failure {
	cut := func(text string, most int) string {
		short := withoutMiddle(text, most)
		if short != text {
			f.Cut++
		}
		return short
	}
	f.Headline = cut(f.Headline, mostHeadline)
	for _, lines := range []*[]string{&f.Values, &f.CloudErrors, &f.Calls, &f.Events, &f.CCMLog} {
		kept := make([]string, len(*lines))
		for i, line := range *lines {
			kept[i] = cut(line, mostText)
		}
		if len(kept) > 0 {
			*lines = kept
		}
	}
	return f
}

// withoutMiddle is a text that has at most about as many bytes, and says how many were left out.
func withoutMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	begin, end := strings.ToValidUTF8(text[:most-keptEnd], ""), strings.ToValidUTF8(text[len(text)-keptEnd:], "")
	return fmt.Sprintf("%s… (%d bytes left out) …%s", begin, len(text)-len(begin)-len(end), end)
}

// keepWhole writes the failures whose texts were cut.
func (s *slot) keepWhole(scenario *scenarios.Scenario, result scenarios.Result) error {
	if s.Dir == "" || len(result.Whole) == 0 {
		return nil
	}
	var text strings.Builder
	for _, f := range result.Whole {
		text.WriteString(f.String())
	}
	dir := s.logFolder(scenario)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, wholeFile), []byte(text.String()), 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the whole failures: %w", err)
	}
	return nil
}
