package embedded

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/tools/txtar"
)

//go:generate go test -run=^TestSources$ -update .

// sources are the files of the module e2e/kube. A module that is downloaded
// has no nested modules in it, so that the control plane can only be built from here.
//
//go:embed kube.txtar
var sources []byte

// KubernetesVersion is the version of the control plane.
const KubernetesVersion = "v1.37.1"

// buildArgs are those of "go build". Without the version the API server would
// report one that clients cannot parse.
func buildArgs() []string {
	const version = "-X k8s.io/component-base/version.git"
	return []string{
		"build", "-trimpath",
		"-ldflags", "-s -w " + version + "Version=" + KubernetesVersion + " " + version + "Major=1 " + version + "Minor=37",
	}
}

// ContentHash stands for everything that decides what the simcloud-kube of Build is.
func ContentHash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s/%s %q\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, buildArgs())
	h.Write(sources)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// unpack writes the sources into dir.
func unpack(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, file := range txtar.Parse(sources).Files {
		if err := os.WriteFile(filepath.Join(dir, file.Name), file.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
