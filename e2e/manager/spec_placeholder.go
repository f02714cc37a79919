package manager

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud/dialect"
	"github.com/simcloud-dev/simcloud/simcloud/sim"
)

// The beginnings of the placeholders that name a wire format of the cloud.
const (
	phOfEndpoint   = "{endpoint:"
	phOfCredential = "{credential:"
)

var (
	// formatRE finds what names a wire format, whatever the name.
	formatRE      = regexp.MustCompile(`\{(?:endpoint|credential):[^{}]*\}`)
	placeholderRE = regexp.MustCompile(formatRE.String() + `|\{config:[^{}]*\}|\{[a-zA-Z][a-zA-Z_:-]*\}`)
)

// formats are the wire formats of the cloud: its own, and the dialects.
func formats() []dialect.Dialect {
	own := dialect.Dialect{Name: "simcloud", CredentialFields: []dialect.CredentialField{{Name: "token", Value: phToken}}}
	return append(sim.Dialects(), own)
}

// endpointsOf are the placeholders for the endpoints of wire formats, with the paths below the URL of the cloud.
func endpointsOf(all []dialect.Dialect) map[string]string {
	paths := map[string]string{}
	for _, d := range all {
		paths[phOfEndpoint+d.Name+"}"] = d.Path
	}
	return paths
}

// credentialsOf are the placeholders for the credentials of wire formats, with values that have {token}. A
// credential of one field needs no name of it.
func credentialsOf(all []dialect.Dialect) map[string]string {
	values := map[string]string{}
	for _, d := range all {
		for _, field := range d.CredentialFields {
			values[phOfCredential+d.Name+"."+field.Name+"}"] = field.Value
			if len(d.CredentialFields) == 1 {
				values[phOfCredential+d.Name+"}"] = field.Value
			}
		}
	}
	return values
}

// withFormats adds the placeholders of the cloud's wire formats.
func withFormats(values map[string]string) map[string]string {
	for placeholder, path := range endpointsOf(formats()) {
		values[placeholder] = strings.TrimSuffix(values[phEndpoint], "/") + path
	}
	for placeholder, value := range credentialsOf(formats()) {
		values[placeholder] = strings.ReplaceAll(value, phToken, values[phToken])
	}
	return values
}

// checkFormat reports a placeholder that names a wire format, or a field of its credential, that there is not.
func checkFormat(found string, all []dialect.Dialect) error {
	known, of := endpointsOf(all), "endpoint"
	if strings.HasPrefix(found, phOfCredential) {
		known, of = credentialsOf(all), "credential"
	}
	if _, exists := known[found]; exists {
		return nil
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(found, "{"+of+":"), "}")
	name, _, _ := strings.Cut(inner, ".")
	if !slices.ContainsFunc(all, func(d dialect.Dialect) bool { return d.Name == name }) {
		return fmt.Errorf("the cloud has no dialect %q: must be one of %s", name, strings.Join(slices.Sorted(maps.Keys(known)), " "))
	}
	var right []string
	for _, placeholder := range slices.Sorted(maps.Keys(known)) {
		if strings.HasPrefix(placeholder, "{"+of+":"+name+"}") || strings.HasPrefix(placeholder, "{"+of+":"+name+".") {
			right = append(right, placeholder)
		}
	}
	return fmt.Errorf("the %s of %s has no such field: must be one of %s", of, name, strings.Join(right, " "))
}

// CheckPlaceholders reports a placeholder in an argument, in an assignment of the environment or in a config file that
// stands for nothing. The config files are those that {config:NAME} may name.
func CheckPlaceholders(arg string, configFiles map[string]string) error {
	for _, found := range placeholderRE.FindAllString(arg, -1) {
		if name, is := configFileOf(found); is {
			if err := checkConfigFile(name, configFiles); err != nil {
				return fmt.Errorf("unknown placeholder %s in %q: %w", found, arg, err)
			}
			continue
		}
		if formatRE.MatchString(found) {
			if err := checkFormat(found, formats()); err != nil {
				return fmt.Errorf("unknown placeholder %s in %q: %w", found, arg, err)
			}
			continue
		}
		if !slices.Contains(Placeholders(), found) {
			return fmt.Errorf("unknown placeholder %s in %q: must be one of %s", found, arg, strings.Join(Placeholders(), " "))
		}
	}
	if strings.Contains(arg, phFlags) && arg != phFlags {
		return fmt.Errorf("%s must be an argument of its own, not a part of %q", phFlags, arg)
	}
	return nil
}

// checkPlaceholders checks all arguments of a command.
func checkPlaceholders(args []string, configFiles map[string]string) error {
	for _, arg := range args {
		if err := CheckPlaceholders(arg, configFiles); err != nil {
			return invalidCCM("%v", err)
		}
	}
	return nil
}

// Dialect is the wire format whose endpoint the CCM is given; false when that is the cloud's own, or none is named.
func (s CCMSpec) Dialect() (dialect.Dialect, bool) {
	texts := slices.Concat(s.Env, s.Args, slices.Collect(maps.Values(s.ConfigFiles)))
	if s.InCluster() {
		texts = append(texts, s.Manifests.texts()...)
	}
	for _, d := range sim.Dialects() {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, phOfEndpoint+d.Name+"}") }) {
			return d, true
		}
	}
	return dialect.Dialect{}, false
}
