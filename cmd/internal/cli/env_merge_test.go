package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/exit"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/sandbox"
)

// kubeconfigOf reads a kubeconfig.
func kubeconfigOf(t *testing.T, file string) *clientcmdapi.Config {
	t.Helper()
	config, err := clientcmd.LoadFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// writeKubeconfig writes a kubeconfig whose context, cluster and user have one name.
func writeKubeconfig(t *testing.T, file, name, server string, cluster clientcmdapi.Cluster) {
	t.Helper()
	config := clientcmdapi.NewConfig()
	cluster.Server = server
	config.Clusters[name], config.AuthInfos[name] = &cluster, &clientcmdapi.AuthInfo{Token: "of " + name}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
}

// TestMergeKubeconfig adds a context for a sandbox to the user's kubeconfig, which needs no file of the sandbox, and
// takes it out when the sandbox is gone. The rest of the file stays.
func TestMergeKubeconfig(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	s := testSandbox(t, "second")
	lock, err := s.Lock()
	if err != nil {
		t.Fatal(err)
	}
	own := s.Path("kubeconfig")
	if err := os.WriteFile(s.Path("ca.crt"), []byte("the CA"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeKubeconfig(t, own, "admin", "https://127.0.0.1:6443", clientcmdapi.Cluster{CertificateAuthority: "ca.crt"})
	if err := lock.Sign(s, os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteState(sandbox.State{Name: "second", Phase: sandbox.PhaseReady, Endpoint: "http://127.0.0.1:1", Kubeconfig: own}); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(home, "mine")
	writeKubeconfig(t, mine, "work", "https://work.example.com", clientcmdapi.Cluster{})
	for _, test := range []struct {
		kubeconfig, file string
		contexts         []string
	}{
		{"", filepath.Join(home, ".kube", "config"), []string{"simcloud-second"}},
		{own, filepath.Join(home, ".kube", "config"), []string{"simcloud-second"}},
		{own + ":" + mine, mine, []string{"simcloud-second", "work"}},
	} {
		t.Setenv("KUBECONFIG", test.kubeconfig)
		code, out, errs := simcloudMain("env", "--merge-kubeconfig")
		if code != exit.CodeOK || out != "" || errs != "Context \"simcloud-second\" is in "+test.file+", and is the current one.\n" {
			t.Fatalf("code %d, %q, %q", code, out, errs)
		}
		config := kubeconfigOf(t, test.file)
		cluster, user := config.Clusters["simcloud-second"], config.AuthInfos["simcloud-second"]
		if config.CurrentContext != "simcloud-second" || cluster == nil || user == nil || user.Token != "of admin" ||
			string(cluster.CertificateAuthorityData) != "the CA" || cluster.CertificateAuthority != "" {
			t.Errorf("the kubeconfig is %+v, with %+v and %+v", config, cluster, user)
		}
		var contexts []string
		for name := range config.Contexts {
			contexts = append(contexts, name)
		}
		if slices.Sort(contexts); !slices.Equal(contexts, test.contexts) {
			t.Errorf("KUBECONFIG=%s has the contexts %q, want %q", test.kubeconfig, contexts, test.contexts)
		}
	}
	if err := lock.Release(); err != nil { // it crashed
		t.Fatal(err)
	}
	if code, _, errs := simcloudMain("down", "--sandbox", "second"); code != exit.CodeOK || !strings.Contains(errs, "is gone") {
		t.Fatalf("code %d, %s", code, errs)
	}
	config := kubeconfigOf(t, mine)
	if len(config.Contexts) != 1 || len(config.Clusters) != 1 || config.AuthInfos["work"] == nil || config.AuthInfos["simcloud-second"] != nil || config.CurrentContext != "" {
		t.Errorf("afterwards the kubeconfig is %+v", config)
	}
	if kubeconfigOf(t, filepath.Join(home, ".kube", "config")).Contexts["simcloud-second"] == nil {
		t.Error("it has changed a kubeconfig that KUBECONFIG does not name")
	}
}
