package service

import (
	"regexp"
	"strings"
)

var (
	// legalRE is what names of the cloud are.
	legalRE   = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,251}[A-Za-z0-9])?$`)
	illegalRE = regexp.MustCompile(`[^-A-Za-z0-9_.]+`)
)

// OptionName is the option that has the name of what the cloud has under another one.
const OptionName = "name"

// LegalName is the name in the cloud of something that OpenStack takes any name for. It is the same where the cloud takes it;
// otherwise something like it, or else fallback.
func LegalName(name, fallback string) string {
	if legalRE.MatchString(name) {
		return name
	}
	const longest = 200
	like := illegalRE.ReplaceAllString(name, "-")
	if like = strings.Trim(like[:min(len(like), longest)], "-_."); like == "" {
		return fallback
	}
	return like
}

// NameOf is the name that OpenStack has for something with a name and options in the cloud.
func NameOf(name string, options map[string]string) string {
	if own, ok := options[OptionName]; ok {
		return own
	}
	return name
}

// KeepName returns the name in the cloud for a name, and puts the name itself into the options where the cloud does not take it.
func KeepName(name, fallback string, options map[string]string) string {
	legal := LegalName(name, fallback)
	if delete(options, OptionName); legal != name {
		options[OptionName] = name
	}
	return legal
}
