package scenarios

import (
	"time"
)

// syncCCM brings what the snapshot says of the CCM up to date.
func (st *stage) syncCCM() {
	st.store.SetCCM(map[string]any{
		"running":  st.CCM.Running(),
		"exits":    int64(len(st.CCM.Exits())),
		"restarts": int64(st.restarts),
		"killed":   st.CCM.Killed(),
		"tokenID":  string(st.CCM.TokenID()),
		"standby":  map[string]any{"running": st.Standby != nil && st.Standby.Running()},
	})
}

// configureCCM changes the settings of the CCM's next start: what is nil stays as it is.
func (st *stage) configureCCM(changed CCMSettings) error {
	if changed.Config != nil {
		st.settings.Config = changed.Config
	}
	if changed.Flags != nil {
		st.settings.Flags = changed.Flags
	}
	if len(st.acts) > 0 && (changed.Config != nil || changed.Flags != nil) {
		st.reconfigured = time.Now()
	}
	return st.CCM.Configure(st.settings)
}
