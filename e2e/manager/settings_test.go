package manager

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

func TestConfigure(t *testing.T) {
	t.Parallel()
	ccm := testCCM(t, script(t, `echo "$@"; cat $1; `+forever, "{cloud-config}", "--own"))
	settings := control.Settings{
		Config: map[string]any{"nodeGracePeriod": "5s", "loadBalancer": map[string]any{"internal": true}, "endpoint": "http://other"},
		Flags:  []string{"--more", "--in={dir}"},
	}
	if err := ccm.Configure(settings); err != nil {
		t.Fatal(err)
	}
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the CCM says what it got", func() bool { return len(ccm.LogTail(100)) == 6 })
	want := "cloud-config.yaml --own --more --in=" + ccm.files.dir + "\nendpoint: http://other\nloadBalancer:\n  internal: true\nnodeGracePeriod: 5s\ntokenFile: " + ccm.files.token.file
	if got := strings.Join(ccm.LogTail(100), "\n"); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s\nwant at the end:\n%s", got, want)
	}
	ccm.Forget()
	if err := ccm.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(ccm.CloudConfig())
	if err != nil || strings.Contains(string(raw), "nodeGracePeriod") {
		t.Errorf("after forget: %v, %s", err, raw)
	}
}

// TestConfigureBinary: another program runs in place of the CCM's own, with the same arguments, until the CCM's own is named again.
func TestConfigureBinary(t *testing.T) {
	t.Parallel()
	ccm := testCCM(t, script(t, `echo "old $@"; `+forever, "--own"))
	other := script(t, `echo "new $@"; `+forever).Path
	empty := ""
	for _, step := range []struct {
		settings control.Settings
		want     string
	}{
		{control.Settings{Flags: []string{"--a"}}, "old --own --a"},
		{control.Settings{Flags: []string{"--b"}, Binary: &other}, "new --own --b"},
		{control.Settings{Binary: &empty}, "old --own"},
	} {
		if err := ccm.Configure(step.settings); err != nil {
			t.Fatal(err)
		}
		if err := ccm.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		waittest.For(t, "the CCM says what it got", func() bool { return strings.HasSuffix(strings.Join(ccm.LogTail(100), "\n"), step.want) })
	}
	if err := ccm.Configure(control.Settings{Binary: &other}); err != nil {
		t.Fatal(err)
	}
	if err := ccm.Standby().Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the standby is the other program too", func() bool { return strings.HasPrefix(strings.Join(ccm.Standby().LogTail(100), "\n"), "new --own") })
	ccm.Forget()
	if ccm.configured().Binary != nil {
		t.Error("the next scenario begins with the other program")
	}
	missing := "/no/such/ccm-v2"
	if err := ccm.Configure(control.Settings{Binary: &missing}); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), `ccm.binary: cannot run "/no/such/ccm-v2"`) {
		t.Errorf("a program that does not exist: %v", err)
	}
	ccm.launcher = simulated{ccm}
	if err := ccm.Configure(control.Settings{Binary: &other}); !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "is no program of this host") {
		t.Errorf("in the place of a CCM that is no program: %v", err)
	}
}

func TestConfigureIsRefused(t *testing.T) {
	t.Parallel()
	deaf := testCCM(t, script(t, forever, "--endpoint={endpoint}"))
	if deaf.ReadsCloudConfig() {
		t.Error("a command without {cloud-config} reads it")
	}
	err := deaf.Configure(control.Settings{Config: map[string]any{"region": "r"}})
	if !errors.Is(err, simcloud.Invalid) || !strings.Contains(err.Error(), "ccm.config") {
		t.Errorf("config: %v, want Invalid with the field ccm.config", err)
	}
	if err := deaf.Configure(control.Settings{Flags: []string{"--x={nothing}"}}); !errors.Is(err, simcloud.Invalid) {
		t.Errorf("placeholder: %v, want Invalid", err)
	}
	if err := deaf.Configure(control.Settings{Flags: []string{"--v=4"}}); err != nil {
		t.Errorf("flags: %v", err)
	}
}

func TestStartFailing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		fails bool
		exits int
	}{
		"Fails":      {"echo the token is refused; exit 3", true, 0},
		"Panics":     {"echo 'panic: nil map'; exit 2", true, 1},
		"EndsWell":   {"exit 0", false, 0},
		"DoesNotEnd": {forever, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ccm := testCCM(t, script(t, tt.text))
			if name == "DoesNotEnd" {
				ccm.deps.Timings.Start = 200_000_000
			}
			log, err := ccm.StartFailing(t.Context())
			if tt.fails && (err != nil || log == "") || !tt.fails && !errors.Is(err, simcloud.Conflict) {
				t.Errorf("%v, log %q", err, log)
			}
			if ccm.Running() || len(ccm.Exits()) != tt.exits || ccm.Starts() != 1 {
				t.Errorf("running %t, exits %v, %d starts; want %d exits and 1 start", ccm.Running(), ccm.Exits(), ccm.Starts(), tt.exits)
			}
		})
	}
}
