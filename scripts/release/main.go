// Command release builds the archives of a release as goreleaser does by .goreleaser.yaml, of any commit and with the Go
// toolchain alone. "make release-snapshot" runs it.
//
//	go run ./scripts/release -version v1.2.3 -commit HASH
//
// It knows the keys of goreleaser's configuration that this project uses, and refuses others: the programs that it builds are those
// that goreleaser builds. Beside them an archive has NOTICES.txt, the licences of what is linked in, and a release has a bill of materials
// for each archive, and with -sign a signature of the checksums.
package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes of release.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

type options struct {
	root, dist, version, commit, platform string
	// built is the path of a program, or empty.
	built string
	// sign is whether the checksums are signed, by the key.
	sign bool
	key  ed25519.PrivateKey
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.root, "root", ".", "the folder with .goreleaser.yaml")
	flags.StringVar(&o.dist, "o", "", "the folder to write, which is emptied first (default: dist of .goreleaser.yaml)")
	flags.StringVar(&o.version, "version", "", "the version of the release, such as v1.2.3")
	flags.StringVar(&o.commit, "commit", "", "the commit that the programs report")
	flags.StringVar(&o.platform, "platform", runtime.GOOS+"/"+runtime.GOARCH, "operating system and architecture, or all")
	flags.StringVar(&o.built, "built", "", "a built program to take instead of building it, found by its name, such as /bin/simcloud-kube")
	flags.BoolVar(&o.sign, "sign", false, "sign the checksums with the Ed25519 key in PEM that the environment variable "+signingKey+" has")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "release: unexpected argument %s: there are only flags\n", flags.Arg(0))
		return exitUsage
	case !strings.HasPrefix(o.version, "v"):
		fmt.Fprintf(stderr, "release: invalid -version %q: must begin with v, as in v1.2.3\n", o.version)
		return exitUsage
	}
	if o.sign {
		var err error
		if o.key, err = readKey(os.Getenv(signingKey)); err != nil {
			fmt.Fprintf(stderr, "release: %v\n", err)
			return exitUsage
		}
	}
	archives, err := release(ctx, o)
	if err != nil {
		fmt.Fprintf(stderr, "release: %v\n", err)
		return exitFailed
	}
	for _, path := range archives {
		fmt.Fprintln(stdout, path)
	}
	return exitOK
}

// release builds each platform's programs, packs them, and returns the paths of the archives, of what they are made of, of the checksums of
// both, and of the signature.
func release(ctx context.Context, o options) (made []string, err error) {
	c, err := loadConfig(filepath.Join(o.root, ".goreleaser.yaml"))
	if err != nil {
		return nil, err
	}
	if o.dist == "" {
		o.dist = filepath.Join(o.root, c.Dist)
	}
	if err := os.RemoveAll(o.dist); err != nil {
		return nil, err
	}
	for _, platform := range c.platforms() {
		if o.platform != "all" && o.platform != platform {
			continue
		}
		files, err := releaseFor(ctx, c, o, platform)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		made = append(made, files...)
	}
	if made == nil {
		return nil, fmt.Errorf("invalid -platform %s: must be all or one of %s", o.platform, strings.Join(c.platforms(), ", "))
	}
	sums := filepath.Join(o.dist, c.Checksum.NameTemplate)
	if err := writeChecksums(sums, made); err != nil || o.key == nil {
		return append(made, sums), err
	}
	signature, err := sign(o.key, sums)
	return append(made, sums, signature), err
}

// releaseFor builds and packs the programs of one platform, with the licences of what they are linked of. It returns the archive and
// its bill of materials.
func releaseFor(ctx context.Context, c config, o options, platform string) ([]string, error) {
	v := valuesOf(o, platform)
	var files []packed
	var programs []program
	for _, b := range c.Builds {
		if !b.has(platform) {
			continue
		}
		path := filepath.Join(o.dist, b.ID+"_"+v.Os+"_"+v.Arch, b.Binary)
		if o.built != "" && filepath.Base(o.built) == b.Binary {
			path = o.built
		} else if err := b.build(ctx, o.root, path, v); err != nil {
			return nil, fmt.Errorf("%s: %w", b.ID, err)
		}
		p, err := readProgram(b.Binary, path, filepath.Join(o.root, b.Dir))
		if err != nil {
			return nil, err
		}
		files, programs = append(files, packed{b.Binary, path, 0o755}), append(programs, p)
	}
	a := c.Archives[0]
	for _, name := range a.Files {
		files = append(files, packed{name, filepath.Join(o.root, name), 0o644})
	}
	name, err := v.expand(a.NameTemplate)
	if err != nil {
		return nil, fmt.Errorf("archives[0].name_template: %w", err)
	}
	text, err := notices(ctx, o.root, programs)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.dist, noticesFile+"_"+v.Os+"_"+v.Arch)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return nil, err
	}
	files = append(files, packed{noticesFile, path, 0o644})
	archive, materials := filepath.Join(o.dist, name+".tar.gz"), filepath.Join(o.dist, name+".cdx.json")
	if err := writeBOM(materials, c.ProjectName, o.version, programs); err != nil {
		return nil, err
	}
	return []string{archive, materials}, writeArchive(archive, name, files)
}
