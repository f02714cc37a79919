package scenariotest_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"syscall"
	"testing"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/simcloud-dev/simcloud/e2e/manager"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/scenarios/scenariotest"
)

func TestMain(m *testing.M) { os.Exit(scenariotest.Main(m, runCCM)) }

// runCCM is the command of a CCM on the app of k8s.io/cloud-provider, as any has it.
func runCCM(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	open := func(c *config.CompletedConfig) cloudprovider.Interface {
		cloud, err := openCloud(ctx, manager.Access{CloudConfig: c.ComponentConfig.KubeCloudShared.CloudProvider.CloudConfigFile})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return cloud
	}
	command := app.NewCloudControllerManagerCommand(opts, open, maps.Clone(app.DefaultInitFuncConstructors),
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, ctx.Done())
	command.SetArgs(args)
	if err := command.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestSelf holds a CCM that is another process of this test binary against
// scenarios that kill and suspend it, on two clusters at a time.
func TestSelf(t *testing.T) {
	planetest.Cluster(t)
	selector := "name=s16-killed-while-updating"
	if planetest.InNightly() {
		selector = "name in (s16-killed-while-updating,s23-same-name-again)"
	}
	scenariotest.Run(t, scenariotest.Config{Subject: scenariotest.Self(t), Parallel: 2, Scenarios: scenariotest.Library(t, selector)})
}

// TestCommand does the same with a command, as --ccm has it.
func TestCommand(t *testing.T) {
	planetest.Cluster(t)
	planetest.Nightly(t, "TestConformance runs a command, and TestSelf this test binary")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	subject, err := manager.ParseCCMSpec("SIMCLOUD_SCENARIOTEST_SELF=1 '" + self + "' {flags}")
	if err != nil {
		t.Fatal(err)
	}
	scenariotest.Run(t, scenariotest.Config{Subject: subject, Scenarios: scenariotest.Library(t, "name=n01-initialised")})
}
