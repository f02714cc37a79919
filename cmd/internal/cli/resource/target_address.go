package resource

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// targetSpec is what a target of the command line names: an address, or an instance by its id or name.
func targetSpec(ctx context.Context, c *client.Client, text string) (spec simcloud.TargetSpec, err error) {
	if spec.Instance, spec.Address = simcloud.TargetOf(simcloud.ID(text)); spec.Address != "" {
		return spec, nil
	}
	spec.Instance, err = instanceNoun().id(ctx, c, text)
	return spec, err
}

// parseGroupTarget reads an instance or an address, with a port or without.
func parseGroupTarget(text string) (simcloud.GroupTargetSpec, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return simcloud.GroupTargetSpec{Address: at.Addr().String(), Port: int(at.Port())}, nil
	}
	var target simcloud.GroupTargetSpec
	if target.Instance, target.Address = simcloud.TargetOf(simcloud.ID(text)); target.Address != "" {
		return target, nil
	}
	instance, port, ported := strings.Cut(text, ":")
	target.Instance = simcloud.ID(instance)
	if !ported {
		return target, nil
	}
	var err error
	if target.Port, err = strconv.Atoi(port); err != nil || instance == "" {
		return target, fmt.Errorf("%q is not INSTANCE[:PORT] or ADDRESS[:PORT], such as node-1, node-1:30081 or 10.0.200.21:30081", text)
	}
	return target, nil
}
