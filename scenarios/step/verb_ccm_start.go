package step

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/syntax"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// CCMStart starts the CCM with other settings, and may want that it refuses them.
type CCMStart struct {
	Settings syntax.Settings
	Fails    string // a text of the log; empty when it must run
}

// Text says in one line what the step does.
func (s *CCMStart) Text() string {
	text := strings.TrimSpace("start " + s.Settings.Binary.Name())
	if s.Fails != "" {
		return fmt.Sprintf("%s, which fails with %q", text, s.Fails)
	}
	return text
}

func (s *CCMStart) run(ctx context.Context, st *Stage) error {
	if err := s.start(ctx, st); err != nil {
		return fmt.Errorf("start the CCM: %w", err)
	}
	return nil
}

func (s *CCMStart) start(ctx context.Context, st *Stage) error {
	if st.CCM.Running() {
		return simcloud.Errorf(simcloud.Conflict, "ccm", "it runs already, and reads its settings when it starts: stop it first")
	}
	changed, err := s.Settings.Expand(st.Store.Snapshot())
	if err != nil {
		return err
	}
	if err := st.ConfigureCCM(changed); err != nil {
		return err
	}
	if s.Fails == "" {
		return st.CCM.Start(ctx)
	}
	log, err := st.CCM.StartFailing(ctx)
	if err != nil {
		return err
	}
	if !strings.Contains(log, s.Fails) {
		return fmt.Errorf("it ended, and its log does not say %q: %s", s.Fails, words.LastLines(log, observe.MostLogLines))
	}
	return nil
}

// SyncCCM brings what the snapshot says of the CCM up to date.
func (st *Stage) SyncCCM() {
	st.Store.SetCCM(map[string]any{
		"running":  st.CCM.Running(),
		"exits":    int64(len(st.CCM.Exits())),
		"restarts": int64(st.restarts),
		"killed":   st.CCM.Killed(),
		"tokenID":  string(st.CCM.TokenID()),
		"standby":  map[string]any{"running": st.Standby != nil && st.Standby.Running()},
	})
}

// ConfigureCCM changes the settings of the CCM's next start: what is nil stays as it is.
func (st *Stage) ConfigureCCM(changed control.Settings) error {
	if changed.Config != nil {
		st.Settings.Config = changed.Config
	}
	if changed.Flags != nil {
		st.Settings.Flags = changed.Flags
	}
	if changed.Binary != nil { // another version has the same settings: all oracles hold for it
		st.Settings.Binary = changed.Binary
	}
	if len(st.Acts) > 0 && (changed.Config != nil || changed.Flags != nil) {
		st.Reconfigured = time.Now()
	}
	err := st.CCM.Configure(st.Settings)
	if changed.Binary != nil && errors.Is(err, simcloud.Invalid) { // no CCM can help that the program is missing
		return mistakeError{err}
	}
	return err
}
