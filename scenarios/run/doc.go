// Package run runs scenarios on clusters: it lends clusters to scenarios, runs their steps,
// lets oracles judge, runs again what failed, and returns a report. It joins the verbs of package
// step with the loader of package syntax.
package run
