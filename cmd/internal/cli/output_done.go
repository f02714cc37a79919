package cli

import (
	"errors"
	"io"
	"strings"
)

// done is what a command has done that answers no resource.
type done struct {
	Kind string `json:"kind"`         // "fault"
	ID   string `json:"id,omitempty"` // empty when it was done to all
	Did  string `json:"did"`          // "deleted"
}

// print prints it: in words, as a document, or as the id alone.
func (d done) print(out io.Writer, f format) error {
	return printDone(out, f, []done{d}, 1)
}

// printDone prints what was done of so much that was asked for.
func printDone(out io.Writer, f format, all []done, asked int) error {
	if f == formatJSON || f == formatYAML {
		return documents(out, f, all, asked)
	}
	for _, d := range all {
		text := strings.Join(strings.Fields(d.Kind+" "+d.ID+" "+d.Did), " ")
		if f == formatName {
			text = d.ID
		}
		if text == "" {
			continue
		}
		if err := printLine(out, text); err != nil {
			return err
		}
	}
	return nil
}

// deleteEach deletes what the arguments name, and prints what is gone also
// when one of them cannot be deleted.
func deleteEach(out io.Writer, f format, kind string, args []string, remove func(arg string) error) error {
	var all []done
	for _, arg := range args {
		if err := remove(arg); err != nil {
			return errors.Join(err, printDone(out, f, all, len(args)))
		}
		all = append(all, done{Kind: kind, ID: arg, Did: "deleted"})
	}
	return printDone(out, f, all, len(args))
}
