package ociimage

import (
	"archive/tar"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// writeTar writes the files in the order of their paths, as root's and without a time.
func writeTar(to io.Writer, files []File) error {
	out := tar.NewWriter(to)
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		header := &tar.Header{Name: f.Path, Mode: f.Mode, Size: int64(len(f.Content)), ModTime: epoch(), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		if _, err := out.Write(f.Content); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return out.Close()
}

// epoch is the time of everything: that of the build would be another each time.
func epoch() time.Time { return time.Unix(0, 0).UTC() }
