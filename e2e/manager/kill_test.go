package manager

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
	"github.com/simcloud-dev/simcloud/simcloud/wait/waittest"
)

// TestHelperCalls is no test: it is a CCM that makes three volumes, one after
// the other, and says of each that it is made.
func TestHelperCalls(*testing.T) {
	if flag.NArg() != 2 {
		return
	}
	c, err := client.New(client.Config{Endpoint: flag.Arg(0), TokenFile: flag.Arg(1), Retries: -1})
	if err != nil {
		panic(err)
	}
	for i := range 3 {
		made, err := c.CreateVolume(context.Background(), simcloud.VolumeSpec{Name: fmt.Sprint("v", i), SizeGiB: 1})
		fmt.Println("made", made.Resource.ID, err)
	}
	select {} // its parent ends it
}

func caller(t *testing.T) *CCM {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return testCCM(t, CCMSpec{Name: "helper", Path: self, Args: []string{"-test.run=^TestHelperCalls$", "{endpoint}", "{token-file}"}})
}

func TestKillAt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		point   control.KillPoint
		volumes int // in the cloud
		told    int // of which the CCM has heard
	}{
		"BeforeFirst":  {control.KillPoint{Operation: "CreateVolume"}, 0, 0},
		"AfterFirst":   {control.KillPoint{Operation: "CreateVolume", Call: 1, After: true}, 1, 0},
		"BeforeSecond": {control.KillPoint{Operation: "Create*", Call: 2}, 1, 1},
		"AfterThird":   {control.KillPoint{Operation: "Create*", Call: 3, After: true}, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ccm := caller(t)
			if err := ccm.KillAt(t.Context(), tt.point); err != nil {
				t.Fatal(err)
			}
			if err := ccm.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			waittest.For(t, "the CCM is killed", ccm.Killed)
			page, err := ccm.deps.Cloud.Admin.ListVolumes(t.Context(), simcloud.ListOptions{})
			log := strings.Join(ccm.LogTail(100), "\n")
			if err != nil || len(page.Items) != tt.volumes || strings.Count(log, "made vol-") != tt.told {
				t.Errorf("%v, %d volumes; want %d, and %d of them in the log:\n%s", err, len(page.Items), tt.volumes, tt.told, log)
			}
			if ccm.Running() || len(ccm.Exits()) > 0 {
				t.Errorf("running %t, exits %v: it was killed as ordered", ccm.Running(), ccm.Exits())
			}
			killedOnce(t, ccm, tt.told)
		})
	}
}

// killedOnce: a CCM that is started again is left alone.
func killedOnce(t *testing.T, ccm *CCM, told int) {
	t.Helper()
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the CCM has made all", func() bool {
		return strings.Count(strings.Join(ccm.LogTail(100), "\n"), "made vol-") == told+3
	})
	if !ccm.Running() || !ccm.Killed() {
		t.Errorf("running %t, killed %t: want both", ccm.Running(), ccm.Killed())
	}
}

func TestKillAtIsReplacedAndTakenBack(t *testing.T) {
	t.Parallel()
	ccm := caller(t)
	for _, operation := range []string{"CreateVolume", "ListZones"} {
		if err := ccm.KillAt(t.Context(), control.KillPoint{Operation: operation}); err != nil {
			t.Fatal(err)
		}
	}
	rules, err := ccm.deps.Cloud.Admin.ListFaults(t.Context())
	if err != nil || len(rules) != 1 || rules[0].Match.Operation != "ListZones" || rules[0].Match.Caller != string(ccm.TokenID()) {
		t.Errorf("rules %+v, %v: want one, for ListZones of the CCM", rules, err)
	}
	if err := ccm.StopAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rules, err := ccm.deps.Cloud.Admin.ListFaults(t.Context()); err != nil || len(rules) > 0 {
		t.Errorf("after the stop: %+v, %v; want none", rules, err)
	}
	for what, point := range map[string]control.KillPoint{"no such operation": {Operation: "Fly"}, "a call below 1": {Operation: "ListZones", Call: -1}} {
		if err := ccm.KillAt(t.Context(), point); !errors.Is(err, simcloud.Invalid) {
			t.Errorf("%s: %v, want Invalid", what, err)
		}
	}
}

// TestSpare: a CCM that is spared before its call lives, and who asks later hears that it was killed.
func TestDisarm(t *testing.T) {
	t.Parallel()
	ccm := caller(t)
	if err := ccm.KillAt(t.Context(), control.KillPoint{Operation: "CreateVolume", Call: 2}); err != nil {
		t.Fatal(err)
	}
	if killed, err := ccm.Disarm(t.Context()); err != nil || killed {
		t.Errorf("before the call: killed %t, %v; want neither", killed, err)
	}
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the CCM has made all", func() bool {
		return strings.Count(strings.Join(ccm.LogTail(100), "\n"), "made vol-") == 3
	})
	if err := ccm.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ccm.KillAt(t.Context(), control.KillPoint{Operation: "CreateVolume"}); err != nil {
		t.Fatal(err)
	}
	if err := ccm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "the CCM is killed", ccm.Killed)
	for range 2 {
		if killed, err := ccm.Disarm(t.Context()); err != nil || !killed || ccm.Running() {
			t.Errorf("after the call: killed %t, running %t, %v; want it killed", killed, ccm.Running(), err)
		}
	}
}
