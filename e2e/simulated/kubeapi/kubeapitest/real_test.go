package kubeapitest_test

import (
	"context"
	"flag"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/simcloud-dev/simcloud/e2e/embedded"
	"github.com/simcloud-dev/simcloud/e2e/planetest"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/kubeapitest"
)

var update = flag.Bool("update", false, "record the answers of the real server in testdata")

// TestReal checks that a real kube-apiserver still gives the recorded answers. No controller
// changes objects there, except for the topics that need controllers. It is restarted first, so that it has forgotten
// version 1.
func TestReal(t *testing.T) {
	t.Parallel()
	kube := planetest.Kube(t)
	if !*update {
		planetest.Nightly(t, "the answers were recorded from the version that go.mod names; TestConformance holds the simulated server against them")
	}
	var alone, controlled []kubeapitest.Topic
	for _, topic := range kubeapitest.Topics() {
		if needsControllers(topic) {
			controlled = append(controlled, topic)
		} else {
			alone = append(alone, topic)
		}
	}
	t.Run("APIServer", func(t *testing.T) { checkReal(t, kube, true, alone) })
	t.Run("Controllers", func(t *testing.T) { checkReal(t, kube, false, controlled) })
}

func needsControllers(topic kubeapitest.Topic) bool {
	for _, need := range topic.Needs {
		if need == kubeapitest.Controllers {
			return true
		}
	}
	return false
}

// checkReal runs topics on a new control plane, and compares or records the answers.
func checkReal(t *testing.T, kube string, alone bool, topics []kubeapitest.Topic) {
	access := start(t, embedded.Config{Dir: t.TempDir(), Kube: kube, APIServerOnly: alone, Progress: func(line string) { t.Log(line) }})
	got, err := kubeapitest.Run(t.Context(), access, topics)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := kubeapitest.WriteGolden(got, topics); err != nil {
			t.Fatal(err)
		}
		return
	}
	kubeapitest.Compare(t, topics, got, nil)
}

// start starts a control plane that ends with the test.
func start(t *testing.T, cfg embedded.Config) *rest.Config {
	t.Helper()
	planetest.Slot(t)
	backend, err := embedded.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	access, err := backend.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.APIServerOnly {
		if err := backend.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return access
}
