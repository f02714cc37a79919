package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/resource"
)

// verbs are the words that short texts of commands begin with: imperatives.
var verbs = strings.Fields(`Add Advance Attach Authorize Bring Build Change Check Clear Compare Create Degrade Delete Detach Disable Enable End Fail Follow
	Grow Judge List Make Manage Merge Migrate Move Print Protect Reboot Rebuild Remove Rename Replace Reset Restore Resume Revoke Run Save Search
	Serve Set Show Start Stop Suspend Take Test Unprotect Wait`)

// notNouns are words with which no noun phrase begins, besides verbs.
var notNouns = strings.Fields(`How If What When Where Whether Which With
	Begin Explore Fire Give Go Keep Let Read Return Tell Use Write`)

// TestHelpTexts holds the texts of commands and flags to their forms: commands have an imperative, flags a noun phrase.
func TestHelpTexts(t *testing.T) {
	t.Parallel()
	for _, cmd := range commands(newRootCommand(output.Streams{})) {
		if first, _, _ := strings.Cut(cmd.Short, " "); !slices.Contains(verbs, strings.Trim(first, ",:")) || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: %q: want an imperative, one of the verbs that are known here, and no full stop", cmd.CommandPath(), cmd.Short)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !nounPhrase(f.Usage) {
				t.Errorf("%s --%s: %q: want a noun phrase in lower case without a full stop", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
	}
}

// machineWords are other words for an instance.
var machineWords = regexp.MustCompile(`\b([Mm]achines?|VMs?)\b`)

// TestOneWordForInstances: the cloud has instances. A machine is the computer that simcloud runs on, or a process of a sandbox.
func TestOneWordForInstances(t *testing.T) {
	t.Parallel()
	var nouns []string
	for _, cmd := range resource.Commands() {
		nouns = append(nouns, cmd.Name())
	}
	for _, cmd := range commands(newRootCommand(output.Streams{})) {
		noun, _, _ := strings.Cut(strings.TrimPrefix(cmd.CommandPath(), "simcloud "), " ")
		if !slices.Contains(nouns, noun) {
			continue
		}
		texts := []string{cmd.Short, cmd.Long}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { texts = append(texts, f.Usage) })
		for _, text := range texts {
			if word := machineWords.FindString(text); word != "" {
				t.Errorf("%s: %q: %s is another word for an instance", cmd.CommandPath(), text, word)
			}
		}
	}
}

// TestRootHelp: each command is under a heading, those that users meet first at the top.
func TestRootHelp(t *testing.T) {
	t.Parallel()
	code, help, errs := simcloudMain("--help")
	if code != exit.CodeOK || !strings.Contains(help, "\nGet started: simcloud up ") {
		t.Fatalf("code %d, %s%s", code, help, errs)
	}
	at := 0
	for _, heading := range []string{"Sandbox:\n  console ", "Test a CCM:\n  conformance ", "Simulate failures:\n  clock ", "Cloud resources:\n  cluster ", "The cloud as a whole:\n  check "} {
		next := strings.Index(help, "\n"+heading)
		if next < at {
			t.Errorf("%q is at %d of the help, after %d", heading, next, at)
		}
		at = next
	}
	for _, cmd := range newRootCommand(output.Streams{}).Commands() {
		if cmd.GroupID == "" && cmd.Name() != "version" && cmd.Name() != "options" {
			t.Errorf("%s is under no heading: add it to groups", cmd.CommandPath())
		}
	}
}

// TestOptions: flags of the connection and of the output are told once, not in each help.
func TestOptions(t *testing.T) {
	t.Parallel()
	_, options, _ := simcloudMain("options")
	_, help, _ := simcloudMain("instance", "create", "--help")
	if !strings.Contains(help, `Use "simcloud options" for`) || !strings.Contains(help, "--zone") {
		t.Errorf("the help of a command is %s", help)
	}
	for _, flag := range []string{"--endpoint", "--token-file", "--ca-file", "--sandbox", "--timeout", "--output", "--no-headers", "--sort-by"} {
		if !strings.Contains(options, flag+" ") || strings.Contains(help, flag+" ") {
			t.Errorf("%s is in the help of a command, or not in %s", flag, options)
		}
	}
}

// nounPhrase reports whether a text can be a noun phrase: it does not begin with a verb, a clause or a capital letter,
// but that of an abbreviation, and has no full stop.
func nounPhrase(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	runes := []rune(strings.TrimRight(first, ",:;"))
	if len(runes) == 0 || strings.HasSuffix(text, ".") || strings.Contains(text, ". ") {
		return false
	}
	abbreviation := len(runes) > 1 && unicode.IsUpper(runes[1])
	if unicode.IsUpper(runes[0]) && !abbreviation {
		return false
	}
	runes[0] = unicode.ToUpper(runes[0])
	return !slices.Contains(verbs, string(runes)) && !slices.Contains(notNouns, string(runes))
}
