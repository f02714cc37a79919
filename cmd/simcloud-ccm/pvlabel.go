package main

import (
	"context"
	"fmt"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	genericcontrollermanager "k8s.io/controller-manager/app"
	"k8s.io/controller-manager/controller"

	"github.com/simcloud-dev/simcloud/ccm/volume"
)

// pvLabelWorkers is how many PersistentVolumes are worked on at the same time.
const pvLabelWorkers = 2

// pvLabels starts the controller of PersistentVolumes, which upstream no longer
// has. It ends with the process, as upstream's do.
func pvLabels(init app.ControllerInitContext, c *config.CompletedConfig, cloud cloudprovider.Interface) app.InitFunc {
	return func(ctx context.Context, started genericcontrollermanager.ControllerContext) (controller.Interface, bool, error) {
		labeler, ok := cloud.(cloudprovider.PVLabeler)
		if !ok {
			return nil, false, nil
		}
		volumes, err := volume.NewPVLabelController(labeler, c.ClientBuilder.ClientOrDie(init.ClientName), c.SharedInformers.Core().V1().PersistentVolumes())
		if err != nil {
			return nil, false, fmt.Errorf("start the %s: %w", volume.PVLabelControllerName, err)
		}
		go func() {
			started.ControllerManagerMetrics.ControllerStarted(volume.PVLabelControllerName)
			defer started.ControllerManagerMetrics.ControllerStopped(volume.PVLabelControllerName)
			volumes.Run(ctx, pvLabelWorkers)
		}()
		return nil, true, nil
	}
}
