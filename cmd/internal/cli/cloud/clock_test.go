package cloud

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/simcloud"
)

// TestPrintClock: an offset is shown where there is one, in seconds and with its sign.
func TestPrintClock(t *testing.T) {
	t.Parallel()
	for offset, want := range map[time.Duration]string{
		0:                                       "MODE NOW real 2026-01-01T00:00:00Z",
		900 * time.Millisecond:                  "MODE NOW real 2026-01-01T00:00:00Z",
		-470*time.Second - 300*time.Millisecond: "MODE NOW OFFSET real 2026-01-01T00:00:00Z -7m50s",
		2 * time.Hour:                           "MODE NOW OFFSET real 2026-01-01T00:00:00Z +2h0m0s",
	} {
		status := simcloud.ClockStatus{
			ClockSpec: simcloud.ClockSpec{Mode: simcloud.ClockReal}, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Offset: simcloud.Duration(offset),
		}
		var out bytes.Buffer
		if err := printClock(&out, output.FormatTable, status); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != want {
			t.Errorf("%s: %q, want %q", offset, got, want)
		}
	}
}
