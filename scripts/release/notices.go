package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noticesFile is the file of an archive with the licences of what is linked into its programs.
const noticesFile = "NOTICES.txt"

// licenceRE are the names of files that a licence asks to be passed on.
var licenceRE = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents|unlicense)([-_.].*)?$`)

// notices are the licences of all modules and of Go's own library. A text that several have stands once.
func notices(ctx context.Context, root string, programs []program) (string, error) {
	modules := modulesOf(programs)
	folders, err := foldersOf(ctx, modules)
	if err != nil {
		return "", err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	texts := newTexts()
	if err := texts.add("The Go standard library", strings.TrimSpace(string(goroot))); err != nil {
		return "", err
	}
	for _, m := range modules {
		if m.local != "" && within(m.local, root) {
			continue // a part of this project, whose licence is a file of its own
		}
		if err := texts.add(strings.TrimSpace(m.path+" "+m.version), folders[m]); err != nil {
			return "", err
		}
	}
	return "Licences and notices of what is linked into these programs.\n" + texts.String(), nil
}

func within(path, root string) bool {
	absolute, err := filepath.Abs(path)
	top, topErr := filepath.Abs(root)
	return err == nil && topErr == nil && (absolute == top || strings.HasPrefix(absolute, top+string(filepath.Separator)))
}

// texts are licences, each with those that have it, in the order in which they came.
type texts struct {
	order []string
	of    map[string][]string
}

func newTexts() *texts { return &texts{of: map[string][]string{}} }

// add reads the licences in a folder. One without any is an error: what has no licence cannot be passed on.
func (t *texts) add(who, folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("%s: %w", who, err)
	}
	found := false
	for _, file := range files {
		if !licenceRE.MatchString(file.Name()) || !file.Type().IsRegular() || strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r\n", "\n"))
		if !slices.Contains(t.order, text) {
			t.order = append(t.order, text)
		}
		t.of[text] = append(t.of[text], who)
		found = true
	}
	if !found {
		return fmt.Errorf("%s: no licence in %s: want a file such as LICENSE", who, folder)
	}
	return nil
}

func (t *texts) String() string {
	var b strings.Builder
	for _, text := range t.order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(slices.Compact(t.of[text]), "\n"), text)
	}
	return b.String()
}
