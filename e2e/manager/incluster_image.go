package manager

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/simcloud-dev/simcloud/e2e/ociimage"
)

// ccmImage is what the image of simcloud-ccm is called in a cluster of ours; its
// tag is that of its content, so that no other can be meant.
const ccmImage = "simcloud.dev/simcloud-ccm"

// checkStatic fails for a program that needs more than itself: there is nothing else in its image.
func checkStatic(path string) error {
	program, err := elf.Open(path)
	if err != nil {
		return invalidMode("the image would be made of %s, which is not a program for Linux: %v", path, err)
	}
	defer func() { _ = program.Close() }()
	if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return invalidMode("the image would be made of %s, which needs libraries: build it with CGO_ENABLED=0", path)
	}
	return nil
}

// loadImage makes the image of the CCM under test and imports it where its pods run.
func (i *inCluster) loadImage(ctx context.Context) error {
	if i.theirs != nil {
		if i.theirs.Image.Archive == "" {
			return nil // it is pulled
		}
		return i.importImage(ctx, i.theirs.Image.Archive)
	}
	binary, err := os.ReadFile(i.subject.Path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(binary)
	i.image = ccmImage + ":" + hex.EncodeToString(sum[:6])
	archive := filepath.Join(i.files.dir, "image.tar")
	if err := os.MkdirAll(i.files.dir, 0o700); err != nil {
		return err
	}
	image := ociimage.Image{
		Name: i.image, Title: "simcloud-ccm", Version: "under-test", Architecture: runtime.GOARCH, User: "65532:65532",
		Entrypoint: []string{"/simcloud-ccm"}, Ports: []string{"10258/tcp"},
		Files: []ociimage.File{{Path: "simcloud-ccm", Mode: 0o755, Content: binary}},
	}
	if err := image.WriteFile(archive); err != nil {
		return err
	}
	return i.importImage(ctx, archive)
}

// importImage brings the images of an archive to the node of the control plane.
func (i *inCluster) importImage(ctx context.Context, archive string) (err error) {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = i.exec(ctx, i.node, file, "ctr", "--namespace=k8s.io", "images", "import", "--all-platforms", "--digests", "-")
	if err != nil {
		return fmt.Errorf("import %s: %w", archive, err)
	}
	return nil
}
