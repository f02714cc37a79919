package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// ccmStart starts the CCM with other settings, and may want that it refuses them.
type ccmStart struct {
	settings settings
	fails    string // a text of the log; empty when it must run
}

// expandSettings puts the values into settings. What the file does not have is nil.
func expandSettings(given settings, s *observe.Snapshot) (CCMSettings, error) {
	config, flags, err := given.expand(s)
	return CCMSettings{Config: config, Flags: flags}, err
}

func (s *ccmStart) text() string {
	if s.fails != "" {
		return fmt.Sprintf("start, which fails with %q", s.fails)
	}
	return "start"
}

func (s *ccmStart) run(ctx context.Context, st *stage) error {
	if err := s.start(ctx, st); err != nil {
		return fmt.Errorf("start the CCM: %w", err)
	}
	return nil
}

func (s *ccmStart) start(ctx context.Context, st *stage) error {
	if st.CCM.Running() {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "it runs already, and reads its settings when it starts: stop it first")
	}
	changed, err := expandSettings(s.settings, st.store.Snapshot())
	if err == nil {
		err = st.configureCCM(changed)
	}
	if err != nil {
		return err
	}
	if s.fails == "" {
		return st.CCM.Start(ctx)
	}
	log, err := st.CCM.StartFailing(ctx)
	if err != nil {
		return err
	}
	if !strings.Contains(log, s.fails) {
		return fmt.Errorf("it ended, and its log does not say %q: %s", s.fails, words.LastLines(log, observe.MostLogLines))
	}
	return nil
}
