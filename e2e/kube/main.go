// Command simcloud-kube is a Kubernetes control plane in one binary: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, and a real
// kubelet whose container runtime is a fake.
//
// It is one binary because the parts share most of their code: together they
// take a third of the space and of the link time that six binaries would.
// It is a module of its own because k8s.io/kubernetes can only be required
// together with a replace for each of its staging modules, and a module with
// replaces cannot be installed with "go install".
package main

import (
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
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// commands maps the first argument to the cobra command that it runs.
// etcd is not among them: it parses os.Args itself.
var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
	"kubelet":                 newKubeletCommand,
}

const usage = `usage: simcloud-kube COMMAND [flags]

COMMAND is one of: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kubectl, version.
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

	switch {
	case name == "version":
		fmt.Println(version.Get().GitVersion)
		return 0
	case name == "etcd":
		etcdmain.Main(os.Args)
		return 0
	case commands[name] != nil:
		return cli.Run(commands[name]())
	}
	fmt.Fprintf(os.Stderr, "simcloud-kube: unknown command %q\n%s", name, usage)
	return 2
}

func known(name string) bool {
	return name == "etcd" || commands[name] != nil
}
