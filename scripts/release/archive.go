package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// packed is a file of an archive: its name there, where it is, and its mode.
type packed struct {
	name, path string
	mode       int64
}

// writeArchive writes a compressed archive of a folder with the files.
func writeArchive(path, folder string, files []packed) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	zip := gzip.NewWriter(out)
	archive := tar.NewWriter(zip)
	defer func() { err = errors.Join(err, archive.Close(), zip.Close(), out.Close()) }()
	for _, f := range files {
		if err := f.write(archive, folder); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// write adds the file as root's, with its time.
func (f packed) write(archive *tar.Writer, folder string) (err error) {
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: folder + "/" + f.name, Typeflag: tar.TypeReg, Size: info.Size(), Mode: f.mode, ModTime: info.ModTime()}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, in)
	return err
}

// writeChecksums writes a file that "sha256sum --check" reads.
func writeChecksums(path string, files []string) error {
	var lines strings.Builder
	for _, name := range files {
		sum, err := checksum(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, filepath.Base(name))
	}
	return os.WriteFile(path, []byte(lines.String()), 0o644)
}

func checksum(path string) (sum string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}
