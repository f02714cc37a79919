package manager

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/e2e/control"
	"github.com/simcloud-dev/simcloud/e2e/process"
)

// onHost runs a CCM as a process of this host.
type onHost struct{ *CCM }

const loopback = "127.0.0.1"

func (h onHost) prepare(ctx context.Context) error {
	if err := Grant(ctx, h.deps.Kube.Client); err != nil {
		return err
	}
	return grantMore(ctx, h.deps.Kube.Client, h.subject.Rights)
}

// tokenRenewed has nothing to do: the process reads the file itself.
func (h onHost) tokenRenewed(context.Context) error { return nil }

// launch tries once more, with another port, when another process took the port meanwhile.
func (h onHost) launch(ctx context.Context, settings control.Settings) (ccmRun, endpoint, error) {
	p, at, err := h.startProcess(ctx, settings)
	if process.LostPort(err) {
		p, at, err = h.startProcess(ctx, settings)
	}
	return p, at, err
}

// startProcess starts the process on a free port.
func (h onHost) startProcess(ctx context.Context, settings control.Settings) (*process.Process, endpoint, error) {
	port, err := process.FreePort()
	if err != nil {
		return nil, endpoint{}, err
	}
	spec, err := h.spec(port, settings)
	if err != nil {
		return nil, endpoint{}, err
	}
	p, err := process.Start(ctx, spec)
	return p, endpoint{loopback, port}, err
}

func (h onHost) launchFailing(ctx context.Context, settings control.Settings) (log string, err error) {
	port, err := process.FreePort()
	if err != nil {
		return "", err
	}
	spec, err := h.spec(port, settings)
	if err != nil {
		return "", err
	}
	healthy := spec.Ready
	spec.Ready = nil
	p, err := process.Start(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("start the cloud controller manager %s: %w", h.subject.Name, err)
	}
	err = errors.Join(failed(ctx, p, healthy), p.Kill())
	return strings.Join(p.LogTail(failLogLines), "\n"), err
}

func (h onHost) spec(port int, settings control.Settings) (process.Spec, error) {
	timings := h.deps.Timings
	values, err := h.files.placeholders(h.deps, port)
	if err != nil {
		return process.Spec{}, err
	}
	if err := h.files.writeConfigFiles(h.subject.ConfigFiles, values); err != nil {
		return process.Spec{}, err
	}
	subject := h.subject
	subject.Args = slices.Concat(subject.Args, settings.Flags)
	if settings.Binary != nil {
		subject.Path = *settings.Binary
	}
	spec := process.Spec{
		Name:         h.name,
		Path:         subject.Path,
		Args:         subject.expand(values, ccmFlags(timings)),
		Env:          append(h.files.environment(h.deps), subject.environment(values)...),
		Dir:          h.files.dir,
		LogFile:      h.files.log,
		StartTimeout: timings.Start,
		StopTimeout:  timings.Stop,
	}
	if subject.serves() {
		spec.Ready = healthzOf(endpoint{loopback, port})
	}
	return spec, nil
}

// healthzOf asks a CCM whether it is healthy. One whose cloud is down is, for
// the harness: it is started into outages too.
func healthzOf(at endpoint) func(context.Context) error {
	insecure := &tls.Config{InsecureSkipVerify: true} // it makes its certificate at each start
	return process.HTTPReady(fmt.Sprintf("https://%s/healthz?exclude=cloud", at), insecure)
}
