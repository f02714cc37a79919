// Command image builds the image of simcloud-ccm into an archive, with the Go
// toolchain alone: no registry, no base image, no daemon. It holds one static
// binary. The same source, version and toolchain give the same bytes.
//
//	go run ./scripts/image -o simcloud-ccm.tar -tag registry.example.org/simcloud-ccm:v1.0.0
//
// With -folder it is the image of simcloud instead, with the static programs of
// that folder: simcloud, simcloud-ccm and simcloud-kube. "make image" does so.
//
// The archive is an OCI image layout, and has what docker load needs beside:
// docker, podman, nerdctl, ctr, kind and skopeo take it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/simcloud-dev/simcloud/e2e/ociimage"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// The exit codes of image.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// command is the package that the image runs.
const command = "github.com/simcloud-dev/simcloud/cmd/simcloud-ccm"

type options struct {
	output, tag, platform, binary, folder string
}

func run(args []string, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.output, "o", "simcloud-ccm.tar", "the archive to write")
	flags.StringVar(&o.tag, "tag", "simcloud-ccm:latest", "the name of the image; its tag is the version that it says it has")
	flags.StringVar(&o.platform, "platform", "linux/amd64", "operating system and architecture")
	flags.StringVar(&o.binary, "binary", "", "a static simcloud-ccm to take instead of building one")
	flags.StringVar(&o.folder, "folder", "", "a folder with simcloud, simcloud-ccm and simcloud-kube, for an image of these")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "image: %s: there are only flags\n", flags.Arg(0))
		return exitUsage
	case o.binary != "" && o.folder != "":
		fmt.Fprintln(stderr, "image: -binary and -folder cannot be combined: the one is for simcloud-ccm's image, the other for simcloud's")
		return exitUsage
	}
	if err := write(ctx, o); err != nil {
		fmt.Fprintf(stderr, "image: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// write builds what is needed and writes the archive, whole or not at all.
func write(ctx context.Context, o options) (err error) {
	goos, arch, ok := strings.Cut(o.platform, "/")
	if !ok || goos != "linux" || arch == "" {
		return fmt.Errorf("invalid -platform %s: must be linux/amd64 or another architecture of linux", o.platform)
	}
	if o.folder != "" {
		img, err := imageOfFolder(o.folder, o.tag, arch)
		if err != nil {
			return err
		}
		return img.WriteFile(o.output)
	}
	work, err := os.MkdirTemp(filepath.Dir(o.output), ".image-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if o.binary == "" {
		o.binary = filepath.Join(work, "simcloud-ccm")
		if err := build(ctx, o.binary, arch, version(o.tag)); err != nil {
			return err
		}
	}
	binary, err := os.ReadFile(o.binary)
	if err != nil {
		return err
	}
	return imageOf(binary, o.tag, arch).WriteFile(o.output)
}

// user is a number that no file of a host belongs to.
const user = "65532:65532"

func imageOf(binary []byte, tag, arch string) ociimage.Image {
	return ociimage.Image{
		Name: tag, Title: "simcloud-ccm", Version: version(tag), Architecture: arch, User: user,
		Entrypoint: []string{"/simcloud-ccm"}, Ports: []string{"10258/tcp"},
		Files: []ociimage.File{{Path: "simcloud-ccm", Mode: 0o755, Content: binary}},
	}
}

// programs are what the image of simcloud has. simcloud looks for the others beside itself.
var programs = []string{"simcloud", "simcloud-ccm", "simcloud-kube"}

// imageOfFolder is the image of simcloud, with the programs of a folder. It has a home and a folder for temporary files that its
// user may write to: a sandbox keeps its state there.
func imageOfFolder(folder, tag, arch string) (ociimage.Image, error) {
	const bin, home = "usr/local/bin/", "home/simcloud/"
	files := []ociimage.File{{Path: "tmp/", Mode: 0o1777}, {Path: home, Mode: 0o1777}}
	for _, name := range programs {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return ociimage.Image{}, fmt.Errorf("-folder: %w", err)
		}
		files = append(files, ociimage.File{Path: bin + name, Mode: 0o755, Content: content})
	}
	return ociimage.Image{
		Name: tag, Title: "simcloud", Version: version(tag), Architecture: arch, User: user,
		Entrypoint: []string{"/" + bin + "simcloud"}, Environment: []string{"PATH=/usr/local/bin", "HOME=/home/simcloud"}, Files: files,
	}, nil
}

// version is the tag of an image's name. A registry's port is not one.
func version(name string) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	if _, tag, ok := strings.Cut(last, ":"); ok {
		return tag
	}
	return "latest"
}

// build compiles the command so that nothing of this machine is in it.
func build(ctx context.Context, into, arch, version string) error {
	ldflags := "-s -w -buildid= -X k8s.io/component-base/version.gitVersion=" + version
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+ldflags, "-o", into, command)
	cmd.Env = environment(os.Environ(), arch)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", command, err)
	}
	return nil
}

// environment is that of the compiler. What a builder has set for his own
// machine's sake would make other bytes, which run on fewer machines.
func environment(inherited []string, arch string) []string {
	return append(inherited, "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOFLAGS=",
		"GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOARM=7")
}
