package nodeimage

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// archiveKeys verifies Debian's own packages, whichever mirror they come from.
const archiveKeys = "/usr/share/keyrings/debian-archive-keyring.gpg"

// debianRelease is the code name of this machine's Debian. Without one there
// are no packages to build of.
func debianRelease() (string, error) {
	if runtime.GOOS != "linux" {
		return "", unusable("it takes Linux, with Debian's packages; this is %s", runtime.GOOS)
	}
	raw, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", unusable("it takes Debian's packages, and nothing says that this is a Debian: %w", err)
	}
	facts := osRelease(string(raw))
	if facts["ID"] != "debian" || facts["VERSION_CODENAME"] == "" {
		return "", unusable("it takes Debian's packages, and this machine is %s", cmp.Or(facts["PRETTY_NAME"], "something else"))
	}
	return facts["VERSION_CODENAME"], nil
}

// osRelease reads /etc/os-release: see os-release(5).
func osRelease(text string) map[string]string {
	facts := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			facts[key] = strings.Trim(value, `"'`)
		}
	}
	return facts
}

// aptSources are the lines of a sources.list for the archives of a release
// that apt uses on this machine: mirrors are found, other vendors' archives left out.
func aptSources(ctx context.Context, release string) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--no-release-info",
		"--format", "$(CREATED_BY) $(REPO_URI) $(RELEASE) $(COMPONENT)").Output()
	if err != nil {
		return "", unusable("apt does not say where packages are: %w", err)
	}
	options := ""
	if _, err := os.Stat(archiveKeys); err == nil {
		options = "[signed-by=" + archiveKeys + "] "
	}
	lines := sourceLines(string(out), release, options)
	if len(lines) == 0 {
		return "", unusable("apt has no archive of %s: see /etc/apt/sources.list.d", release)
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// sourceLines turns the index targets of apt into lines of a sources.list.
func sourceLines(targets, release, options string) []string {
	wanted := []string{release, release + "-updates", release + "-security"}
	var lines []string
	for target := range strings.Lines(targets) {
		words := strings.Fields(target)
		if len(words) != 4 || words[0] != "Packages" || words[3] != "main" || !slices.Contains(wanted, words[2]) {
			continue
		}
		line := fmt.Sprintf("deb %s%s %s %s", options, words[1], words[2], words[3])
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// aptSettings are the settings of apt for the download: this machine's proxies, if it has any.
func aptSettings(ctx context.Context) string {
	settings := "Acquire::Languages \"none\";\nAcquire::Retries \"3\";\n"
	for _, name := range []string{"Acquire::http::Proxy", "Acquire::https::Proxy"} {
		if out, err := exec.CommandContext(ctx, "apt-config", "dump", name).Output(); err == nil {
			settings += string(out)
		}
	}
	return settings
}

// unusable is the error for a machine on which no image can be built.
func unusable(format string, args ...any) error {
	return simcloud.Errorf(simcloud.Unavailable, "node-image", "build a node image: "+format, args...)
}
