package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simcloud-dev/simcloud/simcloud"
)

// API is what the config is checked with.
type API interface {
	ListRegions(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Region], error)
	ListNetworks(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.Network], error)
	ListRouteTables(ctx context.Context, opts simcloud.ListOptions) (simcloud.Page[simcloud.RouteTable], error)
}

// Error is a mistake in the cloud config, which waiting does not repair.
type Error struct {
	Key string // of the cloud config
	Err error
}

// Error names the key.
func (e *Error) Error() string { return fmt.Sprintf("cloud config: %s: %v", e.Key, e.Err) }

// Unwrap returns what is wrong with it.
func (e *Error) Unwrap() error { return e.Err }

// Check asks the cloud whether the config fits it. It returns a *ConfigError
// for a mistake; any other error means that the cloud could not be asked.
func Check(ctx context.Context, api API, cfg Config) error {
	if err := checkRegion(ctx, api, cfg); err != nil {
		return err
	}
	networks, err := simcloud.ListAll(ctx, api.ListNetworks, simcloud.ListOptions{})
	if err != nil {
		return withKey(cfg, err)
	}
	if cfg.Network != "" && !has(networks, cfg.Network) {
		return unknown("network", cfg.Network, networks)
	}
	if err := (Owner{Project: cfg.Project}).owns(networks); err != nil {
		return err
	}
	if cfg.RouteTable == "" {
		return nil
	}
	tables, err := simcloud.ListAll(ctx, api.ListRouteTables, simcloud.ListOptions{})
	if err != nil {
		return withKey(cfg, err)
	}
	if !has(tables, cfg.RouteTable) {
		return unknown("routeTable", cfg.RouteTable, tables)
	}
	return nil
}

func checkRegion(ctx context.Context, api API, cfg Config) error {
	regions, err := simcloud.ListAll(ctx, api.ListRegions, simcloud.ListOptions{})
	if err != nil {
		return withKey(cfg, err)
	}
	if cfg.Region != "" && !has(regions, cfg.Region) {
		return unknown("region", cfg.Region, regions)
	}
	return nil
}

// withKey names the key that an answer of the cloud speaks of.
func withKey(cfg Config, err error) error {
	if errors.Is(err, simcloud.Unauthenticated) || errors.Is(err, simcloud.Forbidden) {
		return &Error{"tokenFile", fmt.Errorf("%s: the cloud refuses the token: %w", cfg.TokenFile, err)}
	}
	if errors.Is(err, simcloud.Unimplemented) {
		return &Error{"endpoint", fmt.Errorf("%s: the cloud answers, but its API is not at this path: %w", cfg.Endpoint, err)}
	}
	return fmt.Errorf("endpoint %s: %w", cfg.Endpoint, err)
}

// resource is any resource of the cloud.
type resource[T any] interface {
	*T
	GetMeta() *simcloud.Meta
}

func has[T any, P resource[T]](all []T, id simcloud.ID) bool {
	return slices.Contains(ids[T, P](all), string(id))
}

func ids[T any, P resource[T]](all []T) []string {
	names := []string{}
	for i := range all {
		names = append(names, string(P(&all[i]).GetMeta().ID))
	}
	return names
}

func unknown[T any, P resource[T]](key string, id simcloud.ID, all []T) error {
	return &Error{key, fmt.Errorf("%q not found in the cloud (have %s)", id, strings.Join(ids[T, P](all), ", "))}
}
