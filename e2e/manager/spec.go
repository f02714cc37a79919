package manager

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// EnvCCM is the environment variable that names the simcloud-ccm binary.
const EnvCCM = "SIMCLOUD_CCM"

// CCMSpec is the cloud controller manager under test: a command.
type CCMSpec struct {
	// Name is what reports call it: the base name of the binary, or "none".
	Name string
	// Path is the binary; empty when no CCM is to be run.
	Path string
	// Args may have the placeholders of Placeholders.
	Args []string
	// Env are assignments, as NAME=value, that it gets beside the environment of
	// this process. They may have placeholders too.
	Env []string
	// ConfigFiles are written into a folder of its own at each start, by name, with their placeholders filled in.
	// {config:NAME} stands for the path of one.
	ConfigFiles map[string]string

	// Rights are what it may do in the cluster, beyond what simcloud-ccm may.
	Rights []rbacv1.PolicyRule

	// Run, when it is set, is the CCM in the place of a command.
	Run Func
	// Provider, when it is set, is what a backend that simulates time runs in the place of Run, with the controllers of
	// k8s.io/cloud-provider that such a backend makes itself.
	Provider OpenProvider
	// Manifests, when they are set, run it in the cluster in the place of a command.
	Manifests *Manifests
}

// None reports whether there is no CCM to run.
func (s CCMSpec) None() bool {
	return s.Path == "" && s.Run == nil && s.Provider == nil && !s.InCluster()
}

// The placeholders of a subject's arguments.
const (
	phKubeconfig  = "{kubeconfig}"   // of the CCM's ServiceAccount
	phCloudConfig = "{cloud-config}" // the file that simcloud-ccm reads
	phEndpoint    = "{endpoint}"     // URL of the cloud
	phTokenFile   = "{token-file}"   // with a token for the cloud
	phToken       = "{token}"        // the token itself, as it is at the start
	phClusterName = "{cluster-name}"
	phClusterCIDR = "{cluster-cidr}" // of the pods
	phSecurePort  = "{secure-port}"  // a free port, where /healthz is waited for
	phDir         = "{dir}"          // a folder of its own; also its working directory
	phFlags       = "{flags}"        // all flags that simcloud-ccm gets
)

// Placeholders are what the arguments of a subject may contain, in braces, besides
// {endpoint:DIALECT}, {credential:DIALECT}, {credential:DIALECT.FIELD} and {config:NAME}.
func Placeholders() []string {
	return []string{phKubeconfig, phCloudConfig, phEndpoint, phTokenFile, phToken, phClusterName, phClusterCIDR, phSecurePort, phDir, phFlags}
}

// ParseCCMSpec reads a --ccm flag: empty is our simcloud-ccm, "none" no CCM,
// and anything else a command whose arguments may have placeholders, quoted
// as for a shell, with assignments of its environment before it. A command
// without arguments gets the flags of simcloud-ccm.
// It answers Invalid when the command cannot be run.
func ParseCCMSpec(command string) (CCMSpec, error) {
	switch strings.TrimSpace(command) {
	case "":
		return defaultCCMSpec()
	case "none":
		return CCMSpec{Name: "none"}, nil
	}
	words, err := splitCommand(command)
	if err != nil {
		return CCMSpec{}, invalidCCM("%v", err)
	}
	env, words := splitEnvironment(words)
	if len(words) == 0 {
		return CCMSpec{}, invalidCCM("%q has no command after the environment", command)
	}
	return NewCCMSpec(words[0], words[1:], env, nil)
}

// NewCCMSpec is a command whose parts may have placeholders. It answers Invalid when it cannot be run. A command
// without arguments gets the flags of simcloud-ccm.
func NewCCMSpec(binary string, args, env []string, configFiles map[string]string) (CCMSpec, error) {
	if err := checkConfigFiles(configFiles); err != nil {
		return CCMSpec{}, err
	}
	if err := checkPlaceholders(slices.Concat(env, args), configFiles); err != nil {
		return CCMSpec{}, err
	}
	path, err := findCommand(binary)
	if err != nil {
		return CCMSpec{}, invalidCCM("%v", err)
	}
	subject := newCCMSpec(path, args)
	subject.Env, subject.ConfigFiles = append(subject.Env, env...), configFiles
	return subject, nil
}

func newCCMSpec(path string, args []string) CCMSpec {
	if len(args) == 0 {
		args = []string{phFlags}
	}
	return CCMSpec{Name: filepath.Base(path), Path: path, Args: args}
}

// defaultSubject finds simcloud-ccm: by the environment, next to this binary, in PATH.
func defaultCCMSpec() (CCMSpec, error) {
	if named := os.Getenv(EnvCCM); named != "" {
		path, err := findCommand(named)
		if err != nil {
			return CCMSpec{}, invalidCCM("the environment variable %s: %v", EnvCCM, err)
		}
		return newCCMSpec(path, nil), nil
	}
	if self, err := os.Executable(); err == nil {
		if path, err := findCommand(filepath.Join(filepath.Dir(self), "simcloud-ccm")); err == nil {
			return newCCMSpec(path, nil), nil
		}
	}
	if path, err := findCommand("simcloud-ccm"); err == nil {
		return newCCMSpec(path, nil), nil
	}
	return CCMSpec{}, invalidCCM("simcloud-ccm is neither next to simcloud nor in PATH, and %s is not set: "+
		"build it with \"make build\" or \"go install github.com/simcloud-dev/simcloud/cmd/simcloud-ccm@latest\", "+
		"or name another CCM with --ccm, or use --ccm none", EnvCCM)
}

func invalidCCM(format string, args ...any) error {
	return simcloud.InvalidFields("", []simcloud.FieldError{{Field: "--ccm", Detail: fmt.Sprintf(format, args...)}})
}

// findCommand returns the absolute path of a binary that can be run.
func findCommand(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("cannot run %q: %w", name, err)
	}
	return filepath.Abs(path)
}

// expand fills in the placeholders; flags replace {flags}.
func (s CCMSpec) expand(values map[string]string, flags []string) []string {
	pairs := make([]string, 0, 2*len(values))
	for placeholder, value := range values {
		pairs = append(pairs, placeholder, value)
	}
	replacer := strings.NewReplacer(pairs...)
	var args []string
	for _, arg := range s.Args {
		if arg == phFlags {
			args = append(args, flags...)
			continue
		}
		args = append(args, arg)
	}
	for i := range args {
		args[i] = replacer.Replace(args[i])
	}
	return args
}

// serves reports whether the command serves its health on the secure port.
func (s CCMSpec) serves() bool {
	return s.has(phFlags) || s.has(phSecurePort) || s.InCluster()
}
