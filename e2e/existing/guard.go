package existing

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// productionWord is a part of a name that says that a cluster is in use.
var productionWord = regexp.MustCompile(`^(prod|production|prd|live)[0-9]*$`)

// managedHosts are the ends of the names of API servers that clouds run for
// their customers; managedNames are the beginnings of the names that their
// tools give to contexts and clusters.
var (
	managedHosts = []string{
		".amazonaws.com", ".amazonaws.com.cn", ".azmk8s.io", ".azmk8s.us", ".azmk8s.cn", ".gke.goog", ".googleapis.com", ".ondigitalocean.com", ".linodelke.net",
		".k8s.scw.cloud", ".ovh.net", ".vultr-k8s.com", ".civo.com", ".oraclecloud.com", ".cloud.ibm.com",
		".openshiftapps.com", ".ionos.com", ".exo.io", ".stackit.cloud", ".aliyuncs.com", ".upcloud.com",
	}
	managedNames = []string{"gke_", "arn:aws:", "do-", "lke"}
)

// check says whether a context was confirmed, and whether its names
// look like production.
func (t target) check(confirm string) error {
	if reasons := t.suspicions(); len(reasons) > 0 {
		return invalidContext(t.context, reasons...)
	}
	switch confirm {
	case t.context:
		return nil
	case "":
		return invalidFlag("--confirm-context", "must name the context, to say that tests may run there: it makes and deletes Nodes, Services and namespaces "+
			"at %s, and while it runs pods of that cluster may be scheduled to simulated nodes, where they do not run. "+
			"If that is what you want, give --confirm-context %s", t.access.Host, t.context)
	default:
		return invalidFlag("--confirm-context", "is %q, and the context is %q: they must be equal", confirm, t.context)
	}
}

// suspicions says what of the names looks like production.
func (t target) suspicions() []string {
	var reasons []string
	host := hostOf(t.access.Host)
	for _, named := range []struct{ what, name string }{
		{"the name of the context", t.context}, {"the name of its cluster", t.cluster},
		{"the name of its user", t.user}, {"the address of its API server", strings.ToLower(t.access.Host)},
	} {
		if word := production(named.name); word != "" {
			reasons = append(reasons, fmt.Sprintf("is refused: %s, %s, has the word %q: tests must not run in production", named.what, named.name, word))
		}
	}
	if by := managed(host, t.context, t.cluster); by != "" {
		reasons = append(reasons, fmt.Sprintf("is refused: %s is a cluster of a cloud, with a cloud controller manager of its own", by))
	}
	return reasons
}

// production returns the word of a name that looks like production.
func production(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for _, word := range words {
		if productionWord.MatchString(word) {
			return word
		}
	}
	return ""
}

// managed returns the name by which a cluster is known for that of a cloud: a
// context may have got another one.
func managed(host string, names ...string) string {
	for _, end := range managedHosts {
		if strings.HasSuffix(host, end) {
			return host
		}
	}
	for _, start := range managedNames {
		for _, name := range names {
			if strings.HasPrefix(name, start) {
				return name
			}
		}
	}
	return ""
}

// hostOf returns the host of a server, which may lack the scheme.
func hostOf(server string) string {
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return server
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
