package engine

import (
	"errors"
	"regexp"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// saying is what the engines say, in lower case, of one class of failures.
type saying struct {
	code simcloud.Code
	like string // a regular expression
}

// sayings are those that callers act on. The first that fits counts.
func sayings() []saying {
	return []saying{
		{simcloud.Unavailable, `cannot connect to|permission denied while trying to connect|error during connect|cannot access containerd socket`},
		{simcloud.Unavailable, `is not running|is paused|container state improper`},
		{simcloud.Locked, `removal of container .* is already in progress`},
		{simcloud.AlreadyExists, `already in use by container|name .* is already in use|already exists`},
		{simcloud.InUse, `pool overlaps|overlapping|overlaps with|already used on the host|address already in use|is already allocated|has active endpoints|associated containers|being used by|is in use`},
		{simcloud.NotFound, `no such (container|object|network|image|volume)|no container with name|image not known|network .*not found|unable to find network`},
		{simcloud.Unimplemented, `cannot read ipv6 setup|ip6tables|unknown (sub)?command|unknown flag`},
	}
}

// classify gives the error the code of what the engine said.
func (e *Engine) classify(exit *ExitError) error {
	said := strings.ToLower(exit.Stderr)
	for _, s := range sayings() {
		if regexp.MustCompile(s.like).MatchString(said) {
			return e.errorf(s.code, "%w", exit)
		}
	}
	return e.errorf(simcloud.Internal, "%w", exit)
}

// explain turns the failure of the first command into what the user can do.
func (e *Engine) explain(err error) error {
	var exit *ExitError
	if !errors.As(err, &exit) {
		return err
	}
	said := strings.ToLower(exit.Stderr)
	switch {
	case strings.Contains(said, "permission denied"):
		return e.errorf(simcloud.Unavailable, "%s is not permitted to you: become root, or a member of the group that its socket belongs to (docker): %w", e.Name(), exit)
	case regexp.MustCompile(`cannot connect|daemon running|connection refused|no such file or directory`).MatchString(said):
		return e.errorf(simcloud.Unavailable, "%s is not running: start it, by scripts/docker-up.sh of simcloud's sources or \"systemctl start %s\": %w", e.Name(), e.Name(), exit)
	}
	return e.errorf(simcloud.Unavailable, "%s cannot be used: %w", e.Name(), exit)
}

// isOurs reports whether the engine said that, and not a program in a container.
func isOurs(exit *ExitError) bool {
	return regexp.MustCompile(`^(Error response from daemon|Error: [Nn]o |Error: can only|Cannot connect|permission denied while|time=.* level=fatal)`).MatchString(exit.Stderr)
}
