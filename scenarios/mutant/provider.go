package mutant

import (
	"fmt"
	"time"

	cloudprovider "k8s.io/cloud-provider"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/config"
	"github.com/simcloud-dev/simcloud/simcloud/client"
)

// Provider is what the right provider is made of, and a bug changes.
type Provider struct {
	// Config is the cloud config.
	Config config.Config
	// Client says how the cloud is spoken to.
	Client client.Config
	// API is a client like that.
	API *client.Client
	// Now is the time.
	Now func() time.Time
}

// userAgent is what wrong providers call themselves in the cloud's journal.
const userAgent = "mutant-ccm"

// Open makes the wrong provider by a cloud config. A mistake in the config is an error.
func Open(bug Mutant, configFile string) (cloudprovider.Interface, error) {
	cfg, err := config.Load(configFile)
	if err != nil {
		return nil, err
	}
	p := Provider{Config: cfg, Now: time.Now, Client: client.Config{
		Endpoint: cfg.Endpoint, TokenFile: cfg.TokenFile, CA: cfg.CAFile, UserAgent: userAgent,
		Timeout: cfg.Timeout, Retries: retries(cfg), Backoff: cfg.RetryBackoff,
	}}
	if p.API, err = client.New(p.Client); err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	return settleAll(bug.open(p)), nil
}

// retries is the client's number for that of the config: the client's 0 is its default.
func retries(cfg config.Config) int {
	if cfg.Retries == 0 {
		return -1
	}
	return cfg.Retries
}

// right returns the right provider, on an API that a bug may have changed.
func (p Provider) right(api ccm.CloudAPI) *ccm.Cloud { return ccm.New(api, p.Config, p.Now) }
