package ccm

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/simcloud-dev/simcloud/ccm/internal/ccmtest"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// The last Service of a share that moves away takes its addresses with it: so no
// Service may join meanwhile, and it waits for no other turn while it holds one.
func TestMovingAwayTakesTheTurnOfTheShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	svc := ccmtest.Numbered(1, ccmtest.Together)
	w.serve(svc)
	w.mustEnsure(svc)
	const turn = types.UID("share/edge")
	turns := w.cloud.turns

	end, err := turns.Take(w.ctx(), turn)
	if err != nil {
		t.Fatal(err)
	}
	before := w.cloudLines()
	if _, err := w.ensure(ccmtest.Numbered(1)); !errors.Is(err, simcloud.Locked) {
		t.Errorf("while another Service joins: got %v, want Locked", err)
	}
	w.wantCloud(before...)
	end()

	detached := false
	w.failing = func(operation string, _ int) failure {
		if operation == "DetachFloatingIP" {
			detached = true
			if _, mine := turns.Begin(turn); mine {
				t.Error("another Service can join while the address is taken away")
			}
		}
		return failure{}
	}
	w.mustEnsure(ccmtest.Numbered(1))
	if !detached {
		t.Error("the share's address was not detached: this has shown nothing")
	}
	if _, mine := turns.Begin(turn); !mine {
		t.Error("the turn has not ended")
	}
}
