package existing

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// target is a cluster, as a kubeconfig names it.
type target struct {
	files   []string // of the kubeconfig
	context string
	cluster string // its name in the kubeconfig
	user    string // likewise
	access  *rest.Config
}

// loadTarget reads a context of a kubeconfig: of a file, or of those that kubectl would read.
func loadTarget(file, context string) (target, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if file != "" {
		rules = &clientcmd.ClientConfigLoadingRules{Precedence: []string{file}}
	}
	for i, path := range rules.Precedence { // they are looked for again, perhaps from another folder
		absolute, err := filepath.Abs(path)
		if err != nil {
			return target{}, fmt.Errorf("find the kubeconfig: %w", err)
		}
		rules.Precedence[i] = absolute
	}
	rules.WarnIfAllMissing = false
	return readTarget(rules, context)
}

func readTarget(rules *clientcmd.ClientConfigLoadingRules, context string) (target, error) {
	files := rules.GetLoadingPrecedence()
	raw, err := rules.Load()
	if err != nil {
		return target{}, invalidFlag("--kubeconfig", "%v", err)
	}
	if context == "" {
		context = raw.CurrentContext
	}
	named, known := raw.Contexts[context]
	switch {
	case len(raw.Contexts) == 0:
		return target{}, invalidFlag("--kubeconfig", "%s has no context: name the file of the cluster", strings.Join(files, ", "))
	case !known:
		return target{}, invalidFlag("--context", "%q is not one of: %s", context, strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", "))
	}
	access, err := clientcmd.NewNonInteractiveClientConfig(*raw, context, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return target{}, invalidFlag("--context", "%q: %v", context, err)
	}
	return target{files: files, context: context, cluster: named.Cluster, user: named.AuthInfo, access: access}, nil
}

func invalidFlag(flag, format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: flag, Detail: fmt.Sprintf(format, args...)}})
}

// invalidContext says why a cluster is refused.
func invalidContext(context string, reasons ...string) error {
	var fields []simcloud.FieldError
	for _, reason := range reasons {
		fields = append(fields, simcloud.FieldError{Field: "--context", Detail: fmt.Sprintf("%q %s", context, reason)})
	}
	return simcloud.InvalidFields("", fields)
}
