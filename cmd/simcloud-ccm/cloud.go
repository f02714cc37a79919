package main

import (
	"context"
	"fmt"
	"os"
	"time"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"

	"github.com/simcloud-dev/simcloud/ccm"
	"github.com/simcloud-dev/simcloud/ccm/providerid"
)

// startTimeout is how long the start waits for a cloud that does not answer.
const startTimeout = 10 * time.Second

// initializer opens the cloud. The framework has no way to hand back an error
// from here, so a mistake in the config ends the process.
func (p *process) initializer() app.InitCloudFunc {
	return func(c *config.CompletedConfig) cloudprovider.Interface {
		cloud, err := open(c.ComponentConfig.KubeCloudShared.CloudProvider.Name, c.ComponentConfig.KubeCloudShared.CloudProvider.CloudConfigFile)
		if err != nil {
			printError(p.stderr, err)
			os.Exit(exitFailed)
		}
		p.cloud.Store(cloud)
		return cloud
	}
}

func open(provider, configFile string) (*ccm.Cloud, error) {
	if provider != providerid.Scheme {
		return nil, fmt.Errorf("--cloud-provider=%s: want %s", provider, providerid.Scheme)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	return ccm.Open(ctx, configFile)
}
