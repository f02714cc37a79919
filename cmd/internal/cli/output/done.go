package output

import (
	"errors"
	"io"
	"strings"
)

// Done is what a command has done that answers no resource.
type Done struct {
	Kind string `json:"kind"`         // "fault"
	ID   string `json:"id,omitempty"` // empty when it was done to all
	Did  string `json:"did"`          // "deleted"
}

// Print prints it: in words, as a document, or as the id alone.
func (d Done) Print(out io.Writer, f Format) error {
	return printDone(out, f, []Done{d}, 1)
}

// printDone prints what was done of so much that was asked for.
func printDone(out io.Writer, f Format, all []Done, asked int) error {
	if f.IsDocument() {
		return Documents(out, f, all, asked)
	}
	for _, d := range all {
		text := strings.Join(strings.Fields(d.Kind+" "+d.ID+" "+d.Did), " ")
		if f == FormatName {
			text = d.ID
		}
		if text == "" {
			continue
		}
		if err := PrintLine(out, text); err != nil {
			return err
		}
	}
	return nil
}

// DeleteEach deletes what the arguments name, and prints what is gone also
// when one of them cannot be deleted.
func DeleteEach(out io.Writer, f Format, kind string, args []string, remove func(arg string) error) error {
	var all []Done
	for _, arg := range args {
		if err := remove(arg); err != nil {
			return errors.Join(err, printDone(out, f, all, len(args)))
		}
		all = append(all, Done{Kind: kind, ID: arg, Did: "deleted"})
	}
	return printDone(out, f, all, len(args))
}
