package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/report/reporttest"
)

// TestHTMLNeedsNothing: no part of the page comes from anywhere else, and what it may run is its own alone.
func TestHTMLNeedsNothing(t *testing.T) {
	raw, err := HTML(reporttest.Example())
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, pattern := range []string{`(?i)<(link|img|iframe|object|embed|base)\b`, `(?i)\ssrc\s*=\s*["'a-z]`, `@import`, `url\(`, `(?i)<[a-z][^>]*\son[a-z]+\s*=`, `(?i)<[a-z][^>]*\sstyle\s*=`} {
		if found := regexp.MustCompile(pattern).FindString(withoutData(text)); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	if !strings.Contains(text, "default-src &#39;none&#39;; style-src &#39;sha256-") {
		t.Error("the page has no content security policy")
	}
	if strings.Contains(text, "<img src=x") || strings.Count(text, "</script>") != len(htmlScripts)+2 {
		t.Error("what a cloud said is part of the page's markup")
	}
}

// withoutData leaves out what is shown as text: pages say it escaped, scripts in JSON.
func withoutData(text string) string {
	text = regexp.MustCompile(`(?s)<script type="application/json".*?</script>`).ReplaceAllString(text, "")
	return regexp.MustCompile(`(?s)<(pre|p|span)[ >].*?</(pre|p|span)>`).ReplaceAllString(text, "")
}

// TestHTMLShowsFailuresFirst, opened, with the command that runs them again.
func TestHTMLShowsFailuresFirst(t *testing.T) {
	raw, err := HTML(reporttest.Example())
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	last := -1
	for _, want := range []string{
		"<h1>1 failed, 1 broken, 1 not run, 1 skipped, 1 passed</h1>", `id="lb-answer-lost"`, " open>", "<h3>the expectation did not become true within 5s (7 snapshots)</h3>",
		"oracle one-load-balancer: the Service web has 2 load balancers", `data-from="12.4"`,
		"-l name=lb-answer-lost", "--ccm &#39;./my-ccm --kubeconfig={kubeconfig}&#39;",
		`id="route-gone"`, `id="never[a=1,b=2]"`, `id="lb-own-config"`, `id="node-initialised"`,
	} {
		at := strings.Index(text, want)
		if at < last {
			t.Errorf("%q is at %d, want it after %d", want, at, last)
		}
		last = max(last, at)
	}
}

// TestHTMLLinksLogs: the CCM's log is linked where there was a CCM, and no link leads nowhere.
func TestHTMLLinksLogs(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{"my-ccm": true, "none": false} {
		example := reporttest.Example()
		example.Subject = subject
		raw, err := HTML(example)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(raw), `/ccm.log"`); got != want || !strings.Contains(string(raw), `/journal.jsonl"`) {
			t.Errorf("with the CCM %s its log is linked: %v", subject, got)
		}
	}
}

func TestHTMLOfNothing(t *testing.T) {
	if raw, err := HTML(scenarios.Report{}); err != nil || !strings.Contains(string(raw), "nothing ran") {
		t.Errorf("%v: %s", err, raw)
	}
}
