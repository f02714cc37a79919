// Package report shows how a run goes and how it went: to a terminal while it runs, and
// afterwards as text, JSON, JUnit's XML, Markdown and one page of HTML. It reads the
// model of package scenarios and knows nothing of how scenarios are run.
package report
