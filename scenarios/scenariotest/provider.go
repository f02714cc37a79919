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
)

// Open makes a provider. The access says where its cloud is and which token it
// takes; a provider that is configured by a file of its own writes that first.
type Open func(ctx context.Context, access manager.Access) (cloudprovider.Interface, error)

// CloudProvider makes a CCM of a provider for k8s.io/cloud-provider: that
// library's app runs it with its own controllers, as a part of the test. The
// app keeps state of the process: flags of feature gates stay, its metrics
// count on, and what it calls fatal ends the test.
func CloudProvider(name string, open Open) manager.CCMSpec {
	var one sync.Mutex // the app's state is the process's
	log, err := newKlogOutput()
	return manager.InProcess(name, func(ctx context.Context, access manager.Access) error {
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		log.lead(access.Log)
		defer log.lead(nil)
		return runApp(ctx, access, open)
	}, true)
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
