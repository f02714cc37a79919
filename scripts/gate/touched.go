package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oneChange is how far apart the commits of one change are at most.
const oneChange = 4 * time.Hour

// touched returns the commit that is tested, and the labels of the scenarios that its change is about: of the files that
// differ from the last commit that is four hours older than it, also those that are not committed. Where no commit is that
// old, as in a shallow clone, only files that are not committed differ. Outside a git repository it returns "none" and no labels.
func touched(ctx context.Context) (commit string, labels []string, err error) {
	if _, err := git(ctx, "rev-parse", "--git-dir"); err != nil {
		return "none", nil, nil //nolint:nilerr // there is no change to look at
	}
	if commit, err = git(ctx, "rev-parse", "HEAD"); err != nil {
		return "", nil, err
	}
	files, err := changedFiles(ctx)
	if err != nil {
		return "", nil, err
	}
	for _, file := range files {
		labels = append(labels, labelsOf(file, os.ReadFile)...)
	}
	slices.Sort(labels)
	return commit, slices.Compact(labels), nil
}

// changedFiles are the files of the change by their paths from this folder: committed or not, staged or not, and new ones
// that git does not know yet. A file that was renamed has both names.
func changedFiles(ctx context.Context) (files []string, err error) {
	base, err := baseOf(ctx)
	if err != nil {
		return nil, err
	}
	if base == "" {
		base = "HEAD"
	}
	for _, list := range [][]string{
		{"diff", "--name-only", "--relative", "--no-renames", "-z", base},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		names, err := git(ctx, list...)
		if err != nil {
			return nil, err
		}
		files = append(files, strings.FieldsFunc(names, func(r rune) bool { return r == 0 })...)
	}
	return files, nil
}

// baseOf is the last commit before the change; empty when there is none.
func baseOf(ctx context.Context) (string, error) {
	text, err := git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return "", err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", fmt.Errorf("the date of HEAD: %w", err)
	}
	before := time.Unix(seconds, 0).Add(-oneChange)
	return git(ctx, "rev-list", "-1", "--before="+before.UTC().Format(time.RFC3339), "HEAD")
}

func git(ctx context.Context, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

var (
	clauseLabel  = regexp.MustCompile(`\bclause: *"?([A-Z][0-9]+)"?`)
	scenarioName = regexp.MustCompile(`(?m)^  name: *(\S+)$`)
)

// labelsOf are the labels of the scenarios that a file is about.
func labelsOf(file string, read func(string) ([]byte, error)) []string {
	switch {
	case strings.HasPrefix(file, "scenarios/library/") && filepath.Ext(file) == ".yaml":
		text, err := read(file)
		if err != nil {
			return nil // it was deleted
		}
		if clause := clauseLabel.FindSubmatch(text); clause != nil {
			return []string{"clause=" + string(clause[1])}
		}
		if name := scenarioName.FindSubmatch(text); name != nil {
			return []string{"name=" + string(name[1])}
		}
	case filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
	case strings.HasPrefix(file, "ccm/") && !ofNoArea.MatchString(file):
		return areasOf(strings.TrimPrefix(file, "ccm/"))
	case filepath.Dir(file) == "cmd/simcloud-ccm":
		return areaLabels([]string{"process", "volume"})
	}
	return nil
}

// ofNoArea are folders of the provider that no clause is about: manifests, and what its tests share.
var ofNoArea = regexp.MustCompile(`^ccm/(deploy|internal/ccmtest)/`)

// areasOf are the areas of the clauses that a file of the provider works for, by how its path in ccm begins. The first
// that fits counts; what none fits works for all.
func areasOf(path string) []string {
	for _, part := range []struct{ begins, areas string }{
		{"node/zone", "node"}, {"node/sshkey", "node"}, {"node/", "node lifecycle"}, {"providerid/providerid", "node lifecycle"},
		{"annotation/", "service"}, {"lb/", "service"}, {"route/", "route"}, {"volume/", "volume"},
		{"health", "process"}, {"internal/call/reachable", "process"}, {"internal/call/metrics", "process"},
	} {
		if strings.HasPrefix(path, part.begins) {
			return areaLabels(strings.Fields(part.areas))
		}
	}
	return areaLabels([]string{"node", "lifecycle", "service", "route", "process", "volume"})
}

func areaLabels(areas []string) (labels []string) {
	for _, area := range areas {
		labels = append(labels, "area="+area)
	}
	return labels
}
