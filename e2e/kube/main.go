// Command simcloud-kube is a Kubernetes cluster in one binary: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy, kubelet,
// kubeadm, kubectl, CoreDNS, and sandbox-kubelet, a kubelet whose container runtime is a fake.
//
// It is one binary because the parts share most of their code: together they
// take a third of the space and of the link time that six binaries would.
// It is a module of its own because k8s.io/kubernetes can only be required
// together with a replace for each of its staging modules, and a module with
// replaces cannot be installed with "go install".
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client-go metrics on /metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // build info on /metrics
	"k8s.io/component-base/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app"
	kubeadmerrors "k8s.io/kubernetes/cmd/kubeadm/app/util/errors"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// commands maps the first argument to the cobra command that it runs.
// Those of programs are not among them: these parse os.Args themselves.
var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-proxy":              proxy.NewProxyCommand,
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"sandbox-kubelet":         newSandboxKubeletCommand,
}

// programs maps the first argument to what it runs, and that to the exit code.
var programs = map[string]func() int{
	"coredns": runCoreDNS,
	"etcd":    func() int { etcdmain.Main(os.Args); return 0 },
	"kubeadm": func() int { kubeadmerrors.HandleError(kubeadm.Run()); return 0 }, // exits with the error's code
	"version": func() int { fmt.Println(version.Get().GitVersion); return 0 },
}

const usage = `usage: simcloud-kube COMMAND [flags]

COMMAND is one of: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy,
kubelet, kubeadm, kubectl, coredns, sandbox-kubelet, version.
A link to this binary that is named like a COMMAND runs that command.
`

func main() {
	os.Exit(run(os.Args))
}

// run picks the command from the name that the binary was called by, or else
// from the first argument, and gives it an os.Args as if it were on its own.
func run(args []string) int {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if !known(name) {
		if len(args) < 2 {
			fmt.Fprint(os.Stderr, usage)
			return 2
		}
		name, args = args[1], args[1:]
	}
	os.Args = append([]string{name}, args[1:]...)

	if name != "coredns" {
		dropCoreDNSFlags()
	}
	if program := programs[name]; program != nil {
		return program()
	}
	if command := commands[name]; command != nil {
		return cli.Run(command())
	}
	fmt.Fprintf(os.Stderr, "simcloud-kube: unknown command %q\n%s", name, usage)
	return 2
}

func known(name string) bool {
	return programs[name] != nil || commands[name] != nil
}
