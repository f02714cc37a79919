package usage

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is a flag that takes one of a few words.
type choice struct {
	value *string
	words []string
}

// ChoiceFlag defines a flag that takes one of a few words, the first of which is the default. short is a letter for it, or empty.
func ChoiceFlag(cmd *cobra.Command, value *string, name, short, text string, words ...string) {
	*value = words[0]
	cmd.Flags().VarP(&choice{value, words}, name, short, text)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type names the flag's value in the help.
func (c *choice) Type() string { return "string" }

// Set takes one of the words.
func (c *choice) Set(word string) error {
	if !c.Accepts(word) {
		return errors.New(c.wants())
	}
	*c.value = word
	return nil
}

// Accepts reports whether the flag takes a word.
func (c *choice) Accepts(word string) bool { return slices.Contains(c.words, word) }

func (c *choice) wants() string {
	last := len(c.words) - 1
	return "must be " + strings.Join(c.words[:last], ", ") + " or " + c.words[last]
}
