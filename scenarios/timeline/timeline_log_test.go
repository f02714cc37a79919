package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/simcloud-dev/simcloud/scenarios"
)

// TestTimelineOfPolls: equal reads are one moment for as long as nothing but reads comes between, however slow the loop is.
func TestTimelineOfPolls(t *testing.T) {
	all := recorded(t, func(r *Recorder) {
		poll := func(n int) {
			for range n {
				time.Sleep(time.Second)
				r.CallMade(callOf("GetLoadBalancer", "load_balancer/lb-1", false))
				r.CallMade(callOf("ListInstances", "instance", false))
			}
		}
		poll(4)
		r.Verdict(scenarios.Failure{Oracle: "leak", Headline: "left"})
		poll(2)
	})
	wantLines(t, all,
		"calls 0.9-4.0 GetLoadBalancer ×4", "calls 0.9-4.0 ListInstances ×4", "oracles 4.0! leak: left",
		"calls 4.9-6.0 GetLoadBalancer ×2", "calls 4.9-6.0 ListInstances ×2")
	if got := all[0].Detail; got["resource"] != "load_balancer/lb-1" || got["times"] != "4" {
		t.Errorf("the poll: %v", got)
	}
}

// TestTimelineOfTheLog: lines stand where their own time is, in whatever form the CCM writes it; those that say the same are
// one, and one without a time belongs to the line before it.
func TestTimelineOfTheLog(t *testing.T) {
	all := recorded(t, func(r *Recorder) {
		klog := func(level string, after time.Duration, text string) string {
			return level + r.start.Add(after).In(time.Local).Format("0102 15:04:05.000000") + "       1 " + text + "\n"
		}
		rfc := func(after time.Duration) string { return r.start.Add(after).UTC().Format(time.RFC3339Nano) }
		time.Sleep(10 * time.Second)
		r.Log("ccm.log", []byte("no time at all\n"+
			klog("I", time.Second, `node.go:7] "found"`)+
			klog("W", 2*time.Second, "retry")+klog("W", 3*time.Second, "retry")+klog("W", 4*time.Second, "retry")+
			klog("E", 5*time.Second, "panic in sync")+"goroutine 1\n\tmain.go:3\n"+
			"time="+rfc(6*time.Second)+" level=ERROR msg=no\n"+
			rfc(7*time.Second)+"\tINFO\tstarted\n"+
			klog("I", 8*time.Second, strings.Repeat("ä", 300))+
			klog("I", -time.Minute, "before the scenario")), false)
	})
	wantLines(t, all,
		"log 0.0 before the scenario",
		`log 1.0 node.go:7] "found"`, "log 2.0-4.0 retry ×3", "log 5.0! panic in sync", "log 6.0! level=ERROR msg=no", "log 7.0 INFO	started",
		"log 8.0 "+strings.Repeat("ä", 200)+"…")
	if got := all[3].Detail; got["line"] != "panic in sync\ngoroutine 1\n\tmain.go:3" || got["level"] != "error" || got["log"] != "ccm.log" {
		t.Errorf("the lines of a panic: %q", got)
	}
	if got := all[2].Detail; got["level"] != "warning" || got["line"] != "" {
		t.Errorf("a short line: %q", got)
	}
	if got := all[6].Detail["line"]; got != strings.Repeat("ä", 300) {
		t.Errorf("a long line: %q", got)
	}
}

// TestTimelineOfALongLog: there is an end to it, sooner for a scenario that passed; errors stay before warnings, and those
// before the rest.
func TestTimelineOfALongLog(t *testing.T) {
	for passed, most := range map[bool]int{false: mostLogLines, true: mostLogLinesPassed} {
		all := recorded(t, func(r *Recorder) {
			var text strings.Builder
			for i := range 3000 {
				level := "I"
				switch i {
				case 3:
					level = "E"
				case 5:
					level = "W"
				}
				text.WriteString(level + r.start.In(time.Local).Format("0102 15:04:05.000000") + "       1 " + fmt.Sprintf("line %d\n", i))
			}
			r.Log("ccm.log", []byte(text.String()), passed)
		})
		got := strings.Join(lines(all), "\n")
		if len(all) != most+1 || !strings.Contains(got, "! line 3\n") || !strings.Contains(got, " line 5\n") || strings.Contains(got, " line 4\n") || !strings.Contains(got, " line 2999") {
			t.Errorf("passed %v: %d moments: %s", passed, len(all), got)
		}
		if want := fmt.Sprintf("log 0.0-0.0 %d more lines left out", 3000-most); !strings.Contains(got, strings.Replace(want, "-0.0", "", 1)) {
			t.Errorf("passed %v: it does not tell %q", passed, want)
		}
	}
}

// TestLogOfNewYear: klog writes no year, which is that of the scenario, or the one before or after it.
func TestLogOfNewYear(t *testing.T) {
	for start, want := range map[string]string{"2026-12-31T23:59:50": "2027-01-01T00:00:05", "2027-01-01T00:00:10": "2027-01-01T00:00:05", "2027-06-01T12:00:00": "2027-01-01T00:00:05"} {
		began, err := time.ParseInLocation("2006-01-02T15:04:05", start, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		got, err := New(began).thisYear("0101 00:00:05")
		if text := got.Format("2006-01-02T15:04:05"); err != nil || text != want {
			t.Errorf("of a scenario that began at %s the line is of %s, %v, want %s", start, text, err, want)
		}
	}
	before := time.Date(2027, 1, 1, 0, 0, 1, 0, time.Local)
	if got, err := New(before).thisYear("1231 23:59:59"); err != nil || got.Year() != 2026 {
		t.Errorf("%v, %v", got, err)
	}
}
