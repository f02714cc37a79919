package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
	"github.com/simcloud-dev/simcloud/e2e"
	"github.com/simcloud-dev/simcloud/e2e/existing"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// existingBackend uses a cluster that is there already.
type existingBackend struct {
	options backendOptions
	records string
}

// existingPatience is how long it may take to empty a cluster whose own
// controllers do what they do in their own time.
const existingPatience = 2 * time.Minute

// findExisting finds out whether the cluster may be used.
func findExisting(ctx context.Context, o backendOptions) (backend, error) {
	records, err := existingRecords()
	if err != nil {
		return nil, err
	}
	b := existingBackend{o, records}
	guest, err := b.guest()
	if err != nil {
		return nil, err
	}
	if err := guest.Inspect(ctx); errors.Is(err, simcloud.Conflict) {
		return nil, exit.Environment(err) // it may be free another time
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// guest makes the backend, with a mark that no other has.
func (b existingBackend) guest() (*existing.Backend, error) {
	return existing.New(existing.Config{
		Kubeconfig: b.options.kubeconfig, Context: b.options.context, Confirm: b.options.confirm,
		Run: "run-" + strings.ToLower(rand.Text()[:10]), Records: b.records,
	})
}

// existingRecords is the folder that tells what was made in clusters of others.
func existingRecords() (string, error) {
	root, err := sandbox.Root()
	return filepath.Join(root, ".existing"), err // no sandbox can have this name
}

// join makes the cluster a guest's.
func (b existingBackend) join(cfg *e2e.Config, _ string, _ func(string)) (err error) {
	cfg.Timings = e2e.Timings{Reset: existingPatience, Stop: existingPatience}
	cfg.Backend, err = b.guest()
	return err
}

func (b existingBackend) kubectl() string { return b.options.kube }

// removeGuests removes what runs that were killed left in clusters of others.
func removeGuests(ctx context.Context, say func(string)) error {
	records, err := existingRecords()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, existingPatience)
	defer cancel()
	if err := existing.RemoveLeft(ctx, records, say); err != nil {
		return exit.Environment(err)
	}
	return nil
}
