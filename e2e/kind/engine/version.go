package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// version is the first two numbers of a version.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

func parseVersion(text string) (version, bool) {
	match := regexp.MustCompile(`^v?(\d+)\.(\d+)`).FindStringSubmatch(text)
	if match == nil {
		return version{}, false
	}
	major, err := strconv.Atoi(match[1])
	if err != nil {
		return version{}, false
	}
	minor, err := strconv.Atoi(match[2])
	return version{major, minor}, err == nil
}

// probeTimeout is how long an engine may take to say its version: one that
// starts by its socket takes seconds.
const probeTimeout = 30 * time.Second

// probe finds out whether the engine answers, and does.
func (e *Engine) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout, e.errorf(simcloud.Unavailable, "%s does not answer within %s", e.Name(), probeTimeout))
	defer cancel()
	out, err := e.run(ctx, nil, "version", "--format", "{{json .}}")
	if err != nil {
		return e.explain(err)
	}
	said, err := e.parseAnswer(out)
	if err != nil {
		return err
	}
	v, ok := parseVersion(said)
	if !ok {
		return e.errorf(simcloud.Unavailable, "%s says that its version is %q, which cannot be understood", e.Name(), said)
	}
	if v.before(e.dialect.oldest) {
		return e.errorf(simcloud.Unavailable, "%s is too old: it is version %s, and %s or newer is needed", e.Name(), said, e.dialect.oldest)
	}
	e.version = v
	return nil
}

// parseAnswer returns the version that counts of what the engine says.
func (e *Engine) parseAnswer(out []byte) (string, error) {
	var answer struct {
		Client, Server *struct{ Version string }
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.Client == nil {
		return "", e.errorf(simcloud.Unavailable, "the answer of %s version cannot be understood: %.200s", e.Name(), out)
	}
	switch {
	case e.dialect.client:
		return answer.Client.Version, nil
	case answer.Server == nil: // podman-docker answers in Docker's name
		return "", e.errorf(simcloud.Unavailable, "the command %s is not Docker's (is it Podman's? then use --engine podman)", e.path)
	}
	return answer.Server.Version, nil
}

func (e *Engine) errorf(code simcloud.Code, format string, args ...any) error {
	return simcloud.Errorf(code, e.dialect.resource(), format, args...)
}
