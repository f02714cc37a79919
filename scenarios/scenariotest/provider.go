package scenariotest

import (
	"context"
	"errors"
	"maps"
	"sync"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/configz"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/virtual"
)

// Open makes a provider.
type Open = manager.OpenProvider

// CloudProvider makes a CCM of a provider for k8s.io/cloud-provider: that
// library's app runs it with its own controllers, as a part of the test. The
// app keeps state of the process: flags of feature gates stay, and its metrics
// count on. What it calls fatal, and panics of its goroutines, end the CCM alone.
func CloudProvider(name string, open Open) manager.CCMSpec {
	var one sync.Mutex // the app's state is the process's
	err := virtual.Prepare()
	spec := manager.InProcess(name, func(ctx context.Context, access manager.Access) error {
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		return runVirtual(ctx, access, open)
	}, true)
	spec.Provider = open
	return spec
}

// runVirtual runs the app as a virtual process, until ctx is done or the process has ended. The app's goroutines
// may live on for a while: no one waits for their last words.
func runVirtual(ctx context.Context, access manager.Access, open Open) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	returned := make(chan struct{})
	p := virtual.Start(access.Log, func() error {
		defer close(returned)
		return runApp(ctx, access, open)
	})
	<-p.Done()
	cancel()
	<-returned
	return p.Err()
}

// openError carries an error out of the app, which has no way to hand one back.
type openError struct{ error }

// runApp runs the app until ctx is done.
func runApp(ctx context.Context, access manager.Access, open Open) (err error) {
	defer configz.Delete(app.ConfigzName)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case openError:
			err = p.error
		default:
			panic(p)
		}
	}()
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		return err
	}
	initialize := func(c *config.CompletedConfig) cloudprovider.Interface {
		cloud, err := open(ctx, access)
		if err == nil && cloud == nil {
			err = errors.New("the provider is nil")
		}
		if err != nil {
			if c.SecureServing != nil {
				err = errors.Join(err, c.SecureServing.Listener.Close()) // nothing serves there
			}
			panic(openError{err})
		}
		return cloud
	}
	command := app.NewCloudControllerManagerCommand(opts, initialize, maps.Clone(app.DefaultInitFuncConstructors),
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, ctx.Done())
	command.SetArgs(access.Flags)
	command.SilenceErrors, command.SilenceUsage = true, true
	return command.ExecuteContext(ctx)
}
