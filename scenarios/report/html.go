package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	htmltemplate "html/template"
	"strings"

	"github.com/simcloud-dev/simcloud/scenarios"
	"github.com/simcloud-dev/simcloud/scenarios/html"
)

// htmlScripts are the parts of the page's program, in their order.
var htmlScripts = []string{"view.js", "chart.js", "timeline.js", "trace.js", "state.js", "gestures.js", "page.js"}

// page is what the template shows.
type page struct {
	Policy    string
	Style     htmltemplate.CSS
	Scripts   []htmltemplate.JS
	Verdict   string
	Good      bool
	Lanes     string
	Facts     []fact
	Statuses  []statusCount
	Causes    []cause
	Scenarios []pageScenario
}

// UndecidedWords say why a failure is not held against the CCM.
func (page) UndecidedWords() string { return scenarios.UndecidedWords }

// HTML writes the report as one page that needs nothing else: failures first,
// and for each scenario a timeline to zoom, move and filter. Without
// JavaScript it shows the same without the timelines.
func HTML(r scenarios.Report) ([]byte, error) {
	var b bytes.Buffer
	p, err := newPage(r)
	if err == nil {
		var t *htmltemplate.Template
		if t, err = htmltemplate.ParseFS(html.Parts, "report.html.tmpl"); err == nil {
			err = t.Execute(&b, p)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("write the HTML report: %w", err)
	}
	return b.Bytes(), nil
}

func newPage(r scenarios.Report) (page, error) {
	p := page{Verdict: verdictOf(r), Good: isGood(r), Lanes: laneNames(), Facts: factsOf(r), Statuses: statusCounts(r), Causes: causesOf(r)}
	style, err := html.Parts.ReadFile("report.css")
	if err != nil {
		return p, err
	}
	p.Style = htmltemplate.CSS(style)
	for _, name := range htmlScripts {
		script, err := html.Parts.ReadFile(name)
		if err != nil {
			return p, err
		}
		p.Scripts = append(p.Scripts, htmltemplate.JS(script))
	}
	p.Policy = contentPolicy(p.Style, p.Scripts)
	for i, s := range worstFirst(r.Scenarios) {
		shown, err := newPageScenario(r, s, i)
		if err != nil {
			return p, err
		}
		p.Scenarios = append(p.Scenarios, shown)
	}
	return p, nil
}

// contentPolicy lets the page's own style and scripts run and nothing else,
// whatever a log or a message of a cloud may have brought into it.
func contentPolicy(style htmltemplate.CSS, scripts []htmltemplate.JS) string {
	var own []string
	for _, s := range scripts {
		own = append(own, hashSource(string(s)))
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hashSource(string(style)), strings.Join(own, " "))
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func laneNames() string {
	var names []string
	for _, lane := range scenarios.Lanes() {
		names = append(names, string(lane))
	}
	return strings.Join(names, " ")
}

// timelineJSON writes the moments so that they can stand in a script element:
// encoding/json leaves no <, > or & as it is.
func timelineJSON(moments []scenarios.TimelineEntry) (htmltemplate.JS, error) {
	raw, err := json.Marshal(moments)
	return htmltemplate.JS(raw), err
}
