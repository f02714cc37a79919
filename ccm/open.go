package ccm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/ccm/internal/call"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// Open reads the cloud config and connects to the cloud. A mistake in the
// config is an error that names the key; a cloud that does not answer is not,
// because it may be up in a moment, and the controllers come back to it.
func Open(ctx context.Context, configFile string) (*Cloud, error) {
	cfg, err := config.Load(configFile)
	if err != nil {
		return nil, err
	}
	recorded, err := call.NewMetrics(func(m metrics.Registerable) error { return legacyregistry.Register(m) })
	if err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	api, err := connect(cfg, recorded.Retried)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	cloud := observed(api, cfg, recorded)
	err = config.Check(ctx, cloud.api, cfg)
	var mistake *config.Error
	switch {
	case errors.As(err, &mistake):
		return nil, fmt.Errorf("%s: %w", configFile, err)
	case err != nil:
		klog.ErrorS(err, "The cloud does not answer yet; going on, and asking again", "config", configFile)
		cloud.health.LookAfter()
	default:
		cloud.checked.Store(true)
	}
	return cloud, nil
}

// observed returns the provider with all that a process puts around its calls.
func observed(api simcloud.API, cfg config.Config, recorded *call.Metrics) *Cloud {
	health, gate := call.NewHealth(cfg.HealthGracePeriod, time.Now, recorded.Reachable), &call.Gate{}
	around := func(operation string, call func() error) error {
		return gate.Around(operation, func() error {
			return health.Around(func() error { return recorded.Around(operation, call) })
		})
	}
	cloud := New(client.Around(api, around), cfg, time.Now)
	cloud.health, cloud.gate = health, gate
	return cloud
}

// connect makes a client of the cloud, which tells retried of each attempt that it repeats.
func connect(cfg config.Config, retried func(operation string, err error)) (*client.Client, error) {
	secret, err := os.ReadFile(cfg.TokenFile)
	if err != nil {
		return nil, &config.Error{Key: "tokenFile", Err: err}
	}
	if strings.TrimSpace(string(secret)) == "" {
		return nil, &config.Error{Key: "tokenFile", Err: fmt.Errorf("%s is empty: it must have the token of the cloud", cfg.TokenFile)}
	}
	if cfg.CAFile != "" {
		if _, err := os.Stat(cfg.CAFile); err != nil {
			return nil, &config.Error{Key: "caFile", Err: err}
		}
	}
	return client.New(client.Config{
		Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, CA: cfg.CAFile, UserAgent: UserAgent,
		Timeout: cfg.Timeout, Retries: retries(cfg), Backoff: cfg.RetryBackoff, Retried: retried,
	})
}

// retries is the client's number for that of the config: the client's 0 is its default.
func retries(cfg config.Config) int {
	if cfg.Retries == 0 {
		return -1
	}
	return cfg.Retries
}
