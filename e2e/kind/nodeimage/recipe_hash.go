package nodeimage

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
)

// self are the sources of this package: how the parts are made and put
// together decides what the image is.
//
//go:embed *.go
var self embed.FS

// digest is a short hash of the parts and of the sources that use them, which are patterns.
func digest(sources []string, parts ...any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s/%s %q\n", runtime.GOOS, runtime.GOARCH, parts)
	for _, pattern := range sources {
		names, _ := fs.Glob(self, pattern) // the pattern is well-formed
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, _ := self.ReadFile(name) // it was listed
			fmt.Fprintf(h, "%s %d\n%s", name, len(source), source)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
