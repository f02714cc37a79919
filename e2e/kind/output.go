package kind

import "sigs.k8s.io/kind/pkg/exec"

// outputOf returns what the command wrote whose failure an error of kind is about.
func outputOf(err error) string {
	if failed := exec.RunErrorForError(err); failed != nil {
		return string(failed.Output)
	}
	return ""
}

// commandOf returns that command.
func commandOf(err error) []string {
	if failed := exec.RunErrorForError(err); failed != nil {
		return failed.Command
	}
	return nil
}
