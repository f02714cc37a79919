package ccm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// Options are what a program gives to a provider that is a part of it. The zero
// value is for a process of its own.
type Options struct {
	// Transport carries the calls of the cloud; nil means a transport that the
	// config describes. With one, the config's caFile is only checked.
	Transport http.RoundTripper
	// Register registers the provider's metrics; nil means in the process's
	// registry, which takes those of one provider only.
	Register func(metrics.Registerable) error
}

// Open reads the cloud config and connects to the cloud. A mistake in the
// config is an error that names the key; a cloud that does not answer is not,
// because it may be up in a moment, and the controllers come back to it.
func Open(ctx context.Context, configFile string) (*Cloud, error) {
	return OpenWith(ctx, configFile, Options{})
}

// OpenWith is [Open] in a program that runs other providers, or has another way to the cloud.
func OpenWith(ctx context.Context, configFile string, opts Options) (*Cloud, error) {
	if opts.Register == nil {
		opts.Register = func(m metrics.Registerable) error { return legacyregistry.Register(m) }
	}
	cfg, err := config.Load(configFile)
	if err != nil {
		return nil, err
	}
	recorded, err := call.NewMetrics(opts.Register)
	if err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	api, err := connect(cfg, opts.Transport, recorded.Retried)
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

// connect makes a client of the cloud, which tells retried of each attempt that it repeats. The transport may be nil.
func connect(cfg config.Config, transport http.RoundTripper, retried func(operation string, err error)) (*client.Client, error) {
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
		Timeout: cfg.Timeout, Retries: retries(cfg), Backoff: cfg.RetryBackoff, Retried: retried, Transport: transport,
	})
}

// retries is the client's number for that of the config: the client's 0 is its default.
func retries(cfg config.Config) int {
	if cfg.Retries == 0 {
		return -1
	}
	return cfg.Retries
}
