package simulated

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	cloudprovider "k8s.io/cloud-provider"
	aws "k8s.io/cloud-provider-aws/pkg/providers/v1"

	"github.com/simcloud-dev/simcloud/e2e/manager"
)

// configFile is the provider's configuration in the profiles of AWS.
const configFile = "aws.conf"

// requestTimeout is that of the provider's own HTTP client.
const requestTimeout = 30 * time.Second

// Open opens the provider as its program does: by the factory that it has registered, with the environment and the configuration
// of the profile. Its requests then go by the transport of the access.
func Open(_ context.Context, access manager.Access) (cloudprovider.Interface, error) {
	config, err := os.Open(access.ConfigFiles[configFile])
	if err != nil {
		return nil, fmt.Errorf("open the configuration of the provider: %w", err)
	}
	defer func() { _ = config.Close() }()
	provider, err := openWith(access.Env, config)
	if err != nil {
		return nil, err
	}
	return provider, sendBy(provider, &http.Client{Transport: access.Transport, Timeout: requestTimeout})
}

// opening is held while a provider is opened. Its SDK reads the environment then, which is the process's. With these
// configurations it asks nothing of its cloud, so that no one waits long for the lock.
var opening sync.Mutex

func openWith(env []string, config io.Reader) (cloudprovider.Interface, error) {
	opening.Lock()
	defer opening.Unlock()
	restore, err := setEnvironment(env)
	if err != nil {
		return nil, err
	}
	defer restore()
	return cloudprovider.GetCloudProvider(aws.ProviderName, config)
}

// setEnvironment makes assignments, and returns what takes them back.
func setEnvironment(assignments []string) (restore func(), err error) {
	var undo []func()
	restore = func() {
		for _, f := range undo {
			f()
		}
	}
	for _, assignment := range assignments {
		name, value, _ := strings.Cut(assignment, "=")
		old, was := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			restore()
			return nil, err
		}
		undo = append(undo, func() {
			if was {
				_ = os.Setenv(name, old)
			} else {
				_ = os.Unsetenv(name)
			}
		})
	}
	return restore, nil
}
