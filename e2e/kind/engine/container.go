package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// Container is a container as the engine sees it.
type Container struct {
	ID, Name, Image string
	// Status is "created", "running", "paused", "restarting", "exited" and the like.
	Status   string
	ExitCode int
	PID      int // of its first process, on this machine; 0 when it does not run
	Labels   map[string]string
	// Networks are those that it is connected to, by name.
	Networks map[string]Endpoint
}

// Endpoint is a container's place in a network.
type Endpoint struct {
	Addresses []netip.Addr // IPv4 first; none while the container does not run
}

// Inspect returns the container.
func (e *Engine) Inspect(ctx context.Context, container string) (Container, error) {
	found, err := e.inspect(ctx, []string{container})
	if err != nil {
		return Container{}, err
	}
	if len(found) == 0 {
		return Container{}, e.errorf(simcloud.NotFound, "no such container: %s", container)
	}
	return found[0], nil
}

// List returns the containers, also those that do not run, that have all of
// these labels. A label is "key" or "key=value".
func (e *Engine) List(ctx context.Context, labels ...string) ([]Container, error) {
	out, err := e.run(ctx, nil, append([]string{"ps", "--all", "--quiet", "--no-trunc"}, labelFilters(labels)...)...)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		return nil, nil
	}
	return e.inspect(ctx, ids)
}

func labelFilters(labels []string) []string {
	var filters []string
	for _, label := range labels {
		filters = append(filters, "--filter", "label="+label)
	}
	return filters
}

// inspect returns those of the containers that are there.
func (e *Engine) inspect(ctx context.Context, names []string) ([]Container, error) {
	out, err := e.run(ctx, nil, append([]string{"container", "inspect"}, names...)...)
	if err != nil && !errors.Is(err, simcloud.NotFound) {
		return nil, err
	}
	var raw []inspected
	if err := json.Unmarshal(out, &raw); err != nil {
		return nil, e.errorf(simcloud.Internal, "what it says about containers cannot be understood: %w", err)
	}
	var found []Container
	for _, r := range raw {
		found = append(found, r.container())
	}
	return found, nil
}

// inspected is what all engines answer to "container inspect".
type inspected struct {
	ID    string
	Name  string
	State struct {
		Status   string
		ExitCode int
		Pid      int
		Paused   bool
	}
	Config struct {
		Image  string
		Labels map[string]string
	}
	NetworkSettings struct {
		Networks map[string]struct{ IPAddress, GlobalIPv6Address string }
	}
}

func (i inspected) container() Container {
	c := Container{
		ID: i.ID, Name: strings.TrimPrefix(i.Name, "/"), Image: i.Config.Image,
		Status: i.State.Status, ExitCode: i.State.ExitCode, PID: i.State.Pid,
		Labels: i.Config.Labels, Networks: map[string]Endpoint{},
	}
	if i.State.Paused {
		c.Status = "paused"
	}
	for name, n := range i.NetworkSettings.Networks {
		c.Networks[name] = Endpoint{addresses(n.IPAddress, n.GlobalIPv6Address)}
	}
	return c
}

// addresses parses those that are there.
func addresses(texts ...string) []netip.Addr {
	parsed := make([]netip.Addr, 0, len(texts))
	for _, text := range texts {
		addr, _ := netip.ParseAddr(text) // none is the zero value
		parsed = append(parsed, addr)
	}
	return slices.DeleteFunc(parsed, func(a netip.Addr) bool { return !a.IsValid() })
}
