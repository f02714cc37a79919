package kind

import (
	"errors"
	"slices"
	"testing"

	kinderrors "sigs.k8s.io/kind/pkg/errors"
	"sigs.k8s.io/kind/pkg/exec"
)

func TestWhichLogsMayBeMissing(t *testing.T) {
	t.Parallel()
	ran := []string{"x-node-1", "x-control-plane"}
	for _, c := range []struct {
		command []string
		want    bool
	}{
		{[]string{"docker", "exec", "x-node-1", "journalctl", "--no-pager"}, false},
		{[]string{"docker", "exec", "x-node-2", "journalctl", "--no-pager"}, true},
		{[]string{"docker", "exec", "x-node-1", "crictl", "images"}, true},
		{nil, false},
	} {
		if got := isExpected(c.command, ran); got != c.want {
			t.Errorf("%v may fail: %v, want %v", c.command, got, c.want)
		}
	}
}

func TestLeavesOfKindsErrors(t *testing.T) {
	t.Parallel()
	failed := &exec.RunError{Command: []string{"docker", "exec", "x", "crictl"}, Inner: errors.New("exit status 126")}
	plain := errors.New("disk full")
	all := leaves(kinderrors.NewAggregate([]error{kinderrors.NewAggregate([]error{failed, plain}), kinderrors.WithStack(failed)}))
	var commands int
	for _, err := range all {
		if slices.Equal(commandOf(err), failed.Command) {
			commands++
		}
	}
	if commands == 0 || !slices.ContainsFunc(all, func(err error) bool { return errors.Is(err, plain) }) {
		t.Errorf("leaves: %v", all)
	}
	if leaves(nil) != nil {
		t.Error("no error has leaves")
	}
}
