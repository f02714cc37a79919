package step

import (
	"time"

	"github.com/simcloud-dev/simcloud/e2e/control"
)

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
	if len(st.Acts) > 0 && (changed.Config != nil || changed.Flags != nil) {
		st.Reconfigured = time.Now()
	}
	return st.CCM.Configure(st.Settings)
}
