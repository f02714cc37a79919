package controllers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	genericcontrollermanager "k8s.io/controller-manager/app"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/klog/v2"

	"github.com/simcloud-dev/simcloud/e2e/virtual"
)

// manager is a CCM that runs.
type manager struct {
	Config
	transport http.RoundTripper // of all clients

	settings  *settings
	cloud     cloudprovider.Interface
	access    *rest.Config // of all clients
	clients   clientbuilder.SimpleControllerClientBuilder
	kube      kubernetes.Interface // of the informers
	informers informers.SharedInformerFactory
}

// run is app.Run: it reads the flags, makes the clients, and works, or works while it leads.
func (m *manager) run(ctx context.Context) (err error) {
	all := slices.Concat(upstream(), m.Controllers)
	var known []string
	for _, c := range all {
		known = append(known, c.Name)
	}
	slices.Sort(known)
	if m.settings, err = parseFlags(m.Flags, known, virtual.Current()); err != nil {
		return err
	}
	ctx = klog.NewContext(ctx, virtual.Logger(virtual.Current(), m.settings.verbosity))
	if m.access, err = newAccess(m.Kube, m.transport, m.settings.Generic.ClientConnection); err != nil {
		return err
	}
	if m.cloud, err = m.Open(ctx); err != nil {
		return err
	}
	m.clients = clientbuilder.SimpleControllerClientBuilder{ClientConfig: m.access}
	if m.kube, err = m.clients.Client("shared-informers"); err != nil {
		return err
	}
	resync := time.Duration(float64(m.settings.Generic.MinResyncPeriod.Duration) * (1 + rand.Float64()))
	m.informers = informers.NewSharedInformerFactory(m.kube, resync)
	if !m.settings.Generic.LeaderElection.LeaderElect {
		return m.work(ctx, all)
	}
	return m.lead(ctx, func(ctx context.Context) error { return m.work(ctx, all) })
}

// work runs the controllers until ctx is done, and returns when they have ended. It is startControllers of the app.
func (m *manager) work(ctx context.Context, all []Controller) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := m.awaitAPI(ctx); err != nil {
		return fmt.Errorf("error building controller context: failed to wait for apiserver being healthy: %w", err)
	}
	m.cloud.Initialize(m.clients, ctx.Done())
	if user, ok := m.cloud.(cloudprovider.InformerUser); ok {
		user.SetInformers(m.informers)
	}
	for _, c := range all {
		if err := m.start(ctx, c, &running); err != nil {
			return fmt.Errorf("error running controllers: %w", err)
		}
	}
	if err := m.awaitAPI(ctx); err != nil {
		return fmt.Errorf("failed to wait for apiserver being healthy: %w", err)
	}
	m.informers.Start(ctx.Done())
	defer m.informers.Shutdown()
	<-ctx.Done()
	return nil
}

// start starts a controller, if it is enabled and works with this provider.
func (m *manager) start(ctx context.Context, c Controller, running *sync.WaitGroup) error {
	if c.New == nil {
		return nil
	}
	if !genericcontrollermanager.IsControllerEnabled(c.Name, sets.NewString(), m.settings.Generic.Controllers) {
		klog.Warningf("%q is disabled", c.Name)
		return nil
	}
	kube, err := m.clients.Client(c.Client)
	if err != nil {
		return err
	}
	run, err := c.New(Parts{
		Cloud: m.cloud, Kube: kube, Informers: m.informers, Settings: &m.settings.CloudControllerManagerConfiguration,
		Metrics: controllersmetrics.NewControllerManagerMetrics(command),
	})
	if err != nil {
		klog.Errorf("Error starting %q", c.Name)
		return err
	}
	if run == nil {
		klog.Warningf("Skipping %q", c.Name)
		return nil
	}
	running.Go(func() { run(ctx) })
	klog.Infof("Started %q", c.Name)
	pause(ctx, wait.Jitter(m.settings.Generic.ControllerStartInterval.Duration, app.ControllerStartJitter))
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// healthPatience is how long the app waits for an API server.
const healthPatience = 10 * time.Second

func (m *manager) awaitAPI(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, healthPatience, true, func(ctx context.Context) (bool, error) {
		_, last = m.kube.Discovery().RESTClient().Get().AbsPath("/healthz").DoRaw(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%w: failed to get apiserver /healthz status: %w", err, last)
	}
	return nil
}
