package kind

import (
	"context"
	"errors"
	"os"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// environment guards the variable that kind reads: who has put something into
// it has the variable. The environment is the process's, and so must its lock be.
var environment = make(chan struct{}, 1)

// withNetwork does what makes kind put its node into a network. kind has no
// other way to be told than by a variable of this process; clusters are made one after
// the other. The end of ctx ends the wait for one's turn.
func withNetwork(ctx context.Context, variable, network, engine string, do func() error) error {
	if variable == "" {
		return simcloud.Errorf(simcloud.Unimplemented, "engine/"+engine, "kind cannot put its nodes into another network than its own with %s: use docker or podman", engine)
	}
	select {
	case environment <- struct{}{}:
		defer func() { <-environment }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also when both could go on
		return context.Cause(ctx)
	}
	before, was := os.LookupEnv(variable)
	if err := os.Setenv(variable, network); err != nil {
		return err
	}
	err := do()
	if !was {
		return errors.Join(err, os.Unsetenv(variable))
	}
	return errors.Join(err, os.Setenv(variable, before))
}
