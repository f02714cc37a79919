package controllers

import (
	"context"
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	cloudprovider "k8s.io/cloud-provider"
	ccmconfig "k8s.io/cloud-provider/config"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"

	"github.com/simcloud-dev/simcloud/ccm/volume"
)

// Controller is one controller of a CCM.
type Controller struct {
	// Name is its name in --controllers.
	Name string
	// Client is the end of the User-Agent of its client.
	Client string
	// New returns what runs it until the context is done; nil when it does not run, for a reason that it logs. An error
	// ends the process. A controller without New never runs: it is a name that --controllers may have.
	New func(Parts) (run func(context.Context), err error)
}

// Parts are what a controller is made of.
type Parts struct {
	Cloud     cloudprovider.Interface
	Kube      kubernetes.Interface // of this controller alone
	Informers informers.SharedInformerFactory
	Settings  *ccmconfig.CloudControllerManagerConfiguration
	Metrics   *controllersmetrics.ControllerManagerMetrics
}

// pvLabelWorkers is as in cmd/simcloud-ccm.
const pvLabelWorkers = 2

// PVLabels returns the controller of PersistentVolumes that simcloud-ccm has besides upstream's.
func PVLabels() Controller {
	return Controller{Name: volume.PVLabelControllerName, Client: volume.PVLabelControllerName, New: newPVLabels}
}

func newPVLabels(p Parts) (func(context.Context), error) {
	labeler, ok := p.Cloud.(cloudprovider.PVLabeler)
	if !ok {
		return nil, nil
	}
	c, err := volume.NewPVLabelController(labeler, p.Kube, p.Informers.Core().V1().PersistentVolumes())
	if err != nil {
		return nil, fmt.Errorf("start the %s: %w", volume.PVLabelControllerName, err)
	}
	return func(ctx context.Context) {
		p.Metrics.ControllerStarted(volume.PVLabelControllerName)
		defer p.Metrics.ControllerStopped(volume.PVLabelControllerName)
		c.Run(ctx, pvLabelWorkers)
	}, nil
}
