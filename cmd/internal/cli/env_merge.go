package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/homedir"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// contextOf is what the context of a sandbox is called in the kubeconfig of its user, and so are its cluster and user.
func contextOf(name string) string { return "simcloud-" + name }

// userKubeconfig is the kubeconfig to which kubectl writes: the first file in KUBECONFIG that is not of a sandbox, as
// "simcloud env" sets it, or the one in the home folder.
func userKubeconfig() (string, error) {
	root, err := sandbox.Root()
	if err != nil {
		return "", err
	}
	for _, file := range filepath.SplitList(os.Getenv(clientcmd.RecommendedConfigPathEnvVar)) {
		if file != "" && !strings.HasPrefix(filepath.Clean(file), root+string(filepath.Separator)) {
			return file, nil
		}
	}
	return filepath.Join(homedir.HomeDir(), clientcmd.RecommendedHomeDir, clientcmd.RecommendedFileName), nil
}

// mergeKubeconfig adds the access to a sandbox's cluster to the kubeconfig of its user.
func mergeKubeconfig(stderr io.Writer, state sandbox.State) error {
	access, err := accessOf(state)
	if err != nil {
		return exit.Environment(fmt.Errorf("read the kubeconfig of sandbox %s: %w", state.Name, err))
	}
	file, err := userKubeconfig()
	if err != nil {
		return err
	}
	name := contextOf(state.Name)
	err = changeKubeconfig(file, func(config *clientcmdapi.Config) {
		config.Clusters[name], config.AuthInfos[name], config.Contexts[name] = access.Clusters[name], access.AuthInfos[name], access.Contexts[name]
		config.CurrentContext = name
	})
	if err != nil {
		return err
	}
	return output.PrintLine(stderr, fmt.Sprintf("Context %q is in %s, and is the current one.", name, file))
}

// accessOf is the kubeconfig of a sandbox with all in it named after the sandbox, and without references to files,
// which "simcloud down" removes.
func accessOf(state sandbox.State) (*clientcmdapi.Config, error) {
	config, err := clientcmd.LoadFromFile(state.Kubeconfig)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(clientcmdapi.MinifyConfig(config), clientcmdapi.FlattenConfig(config)); err != nil {
		return nil, err
	}
	current := config.Contexts[config.CurrentContext]
	cluster, user := config.Clusters[current.Cluster], config.AuthInfos[current.AuthInfo]
	for _, origin := range []*string{&current.LocationOfOrigin, &cluster.LocationOfOrigin, &user.LocationOfOrigin} {
		*origin = "" // they are now of the user's file
	}
	name := contextOf(state.Name)
	current.Cluster, current.AuthInfo = name, name
	return &clientcmdapi.Config{
		Contexts: map[string]*clientcmdapi.Context{name: current}, Clusters: map[string]*clientcmdapi.Cluster{name: cluster},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: user},
	}, nil
}

// changeKubeconfig changes a kubeconfig as kubectl does: under its lock, and leaving the rest as it is.
func changeKubeconfig(file string, change func(*clientcmdapi.Config)) error {
	access := &clientcmd.PathOptions{GlobalFile: file, LoadingRules: &clientcmd.ClientConfigLoadingRules{ExplicitPath: file}}
	config, err := access.GetStartingConfig()
	if err == nil {
		change(config)
		err = clientcmd.ModifyConfig(access, *config, false)
	}
	if err != nil {
		return exit.Environment(fmt.Errorf("change the kubeconfig %s: %w", file, err))
	}
	return nil
}

// unmergeKubeconfig takes a sandbox that ended out of the kubeconfig of its user, if it is there.
func unmergeKubeconfig(name string) error {
	file, err := userKubeconfig()
	if err != nil {
		return err
	}
	config, err := clientcmd.LoadFromFile(file)
	if err != nil { // there is none, or none that kubectl could use either
		return nil
	}
	name = contextOf(name)
	if config.Contexts[name] == nil {
		return nil
	}
	return changeKubeconfig(file, func(config *clientcmdapi.Config) {
		delete(config.Contexts, name)
		delete(config.Clusters, name)
		delete(config.AuthInfos, name)
		if config.CurrentContext == name {
			config.CurrentContext = ""
		}
	})
}
