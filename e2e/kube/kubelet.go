package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
)

// kubeletOptions are the flags of the sandbox-kubelet command.
type kubeletOptions struct {
	kubeconfig string
	name       string
	rootDir    string
	port       int
	labels     map[string]string
	cpus       int
	memoryMiB  int
	certFile   string
	keyFile    string
	clientCA   string
	nodeIPs    []string
}

func newSandboxKubeletCommand() *cobra.Command {
	var o kubeletOptions
	cmd := &cobra.Command{
		Use:   "sandbox-kubelet",
		Short: "A real kubelet whose container runtime is a fake",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return runKubelet(ctx, o)
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func (o *kubeletOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file of the node's own user")
	fs.StringVar(&o.name, "name", "", "name of the Node")
	fs.StringVar(&o.rootDir, "root-dir", "", "directory for everything that the kubelet writes")
	fs.IntVar(&o.port, "port", 0, "port on 127.0.0.1 of the kubelet's server; 0 is no server")
	fs.StringToStringVar(&o.labels, "node-labels", nil, "labels to register the Node with: key=value,...")
	fs.StringSliceVar(&o.nodeIPs, "node-ip", nil, "addresses that the Node begins with: those of its VM, which this host need not have")
	fs.IntVar(&o.cpus, "cpus", 2, "CPUs that the Node reports")
	fs.IntVar(&o.memoryMiB, "memory-mib", 4096, "memory in MiB that the Node reports")
	fs.StringVar(&o.certFile, "tls-cert-file", "", "certificate of the kubelet's server")
	fs.StringVar(&o.keyFile, "tls-private-key-file", "", "key of that certificate")
	fs.StringVar(&o.clientCA, "client-ca-file", "", "CA that every client of the kubelet's server must have its certificate from")
}

// validate returns one error for all flags that are wrong.
func (o *kubeletOptions) validate() error {
	var errs []error
	for flag, value := range map[string]string{"--kubeconfig": o.kubeconfig, "--root-dir": o.rootDir} {
		if value == "" {
			errs = append(errs, fmt.Errorf("%s: must be given", flag))
		}
	}
	if problems := validation.IsDNS1123Subdomain(o.name); len(problems) > 0 {
		errs = append(errs, fmt.Errorf("--name: %q is no name for a Node: %s", o.name, strings.Join(problems, "; ")))
	}
	for _, ip := range o.nodeIPs {
		if _, err := netip.ParseAddr(ip); err != nil {
			errs = append(errs, fmt.Errorf("--node-ip: %q is not an IP address", ip))
		}
	}
	if o.port != 0 && (o.certFile == "" || o.keyFile == "" || o.clientCA == "") {
		errs = append(errs, errors.New("--port: needs --tls-cert-file, --tls-private-key-file and --client-ca-file"))
	}
	if o.cpus < 1 || o.memoryMiB < 1 {
		errs = append(errs, errors.New("--cpus, --memory-mib: must be at least 1"))
	}
	return errors.Join(errs...)
}

// runKubelet runs the kubelet until ctx ends. The kubelet has process-wide
// state and goroutines that nobody can wait for: the process has to end next.
func runKubelet(ctx context.Context, o kubeletOptions) error {
	root, err := enterRoot(o.rootDir, &o.kubeconfig, &o.certFile, &o.keyFile, &o.clientCA)
	if err != nil {
		return fmt.Errorf("--root-dir: %w", err)
	}
	flags, config, err := kubeletConfig(o, root)
	if err != nil {
		return err
	}
	deps, err := kubeletDependencies(o, flags, config)
	if err != nil {
		return err
	}
	server := &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *config}
	if err := kubeletapp.RunKubelet(context.WithoutCancel(ctx), server, deps); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// enterRoot makes dir the working directory and returns a name for it that is
// short: the kubelet puts unix sockets into it, whose paths may not be longer
// than about 100 bytes, and it exits when one is. The paths of files are made absolute first.
func enterRoot(dir string, files ...*string) (string, error) {
	for _, file := range append(files, &dir) {
		if *file == "" {
			continue
		}
		abs, err := filepath.Abs(*file)
		if err != nil {
			return "", err
		}
		*file = abs
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := os.Chdir(dir); err != nil {
		return "", err
	}
	const cwd = "/proc/self/cwd"
	if _, err := os.Stat(cwd); err != nil {
		return dir, nil // not Linux
	}
	return cwd, nil
}
