package simulated_test

import (
	"context"
	_ "embed"
	"net/http"
	"os"
	"slices"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/simcloud-dev/simcloud/e2e/simulated"
	"github.com/simcloud-dev/simcloud/e2e/simulated/bubble"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi"
	"github.com/simcloud-dev/simcloud/e2e/simulated/kubeapi/kubeapitest"
	"github.com/simcloud-dev/simcloud/simcloud/wire"
)

// knownDifferences has the reason for each case that differs from the real server.
//
//go:embed testdata/known.yaml
var knownDifferences []byte

func TestMain(m *testing.M) {
	kubeapi.Prepare()
	utilruntime.ErrorHandlers = nil // a refused request is not an error of the test
	os.Exit(m.Run())
}

// TestConformance compares the simulated API server with the recorded answers of a real kube-apiserver.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("APIServer", func(t *testing.T) {
		t.Parallel()
		topics := topicsOf(false)
		kubeapitest.Compare(t, topics, answers(t, topics, nil), known(t))
	})
	t.Run("Controllers", func(t *testing.T) {
		t.Parallel()
		topics := topicsOf(true)
		kubeapitest.Compare(t, topics, controlled(t, topics), known(t))
	})
}

// known returns the known differences.
func known(t *testing.T) kubeapitest.Known {
	t.Helper()
	var all kubeapitest.Known
	if err := yaml.UnmarshalStrict(knownDifferences, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKnown checks that each known difference is about a case of the table.
func TestKnown(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{}
	for _, topic := range kubeapitest.Topics() {
		for _, c := range topic.Cases {
			cases[c.Key()] = true
		}
	}
	for name, reason := range known(t) {
		if !cases[name] {
			t.Errorf("%s: no such case (%s)", name, reason)
		}
	}
}

// topicsOf returns the topics of these names, or all of them, that need controllers or do not.
func topicsOf(controllers bool, names ...string) []kubeapitest.Topic {
	return slices.DeleteFunc(kubeapitest.Topics(), func(topic kubeapitest.Topic) bool {
		return slices.Contains(topic.Needs, kubeapitest.Controllers) != controllers ||
			len(names) > 0 && !slices.Contains(names, topic.Name)
	})
}

// answers runs topics on an API server without controllers. A fault, unless it is nil, wraps the transport.
func answers(t *testing.T, topics []kubeapitest.Topic, fault func(http.RoundTripper) http.RoundTripper) (got kubeapitest.Answers) {
	t.Helper()
	err := bubble.Run(t.Context(), t, func(ctx context.Context) (err error) {
		network := wire.New()
		listener, err := network.Listen(ctx, "127.0.0.1:0")
		if err != nil {
			return err
		}
		server := kubeapi.New(kubeapi.Config{Seed: 1})
		server.Serve(listener)
		defer func() { _ = server.Close() }()
		transport := network.Transport()
		defer transport.CloseIdleConnections()
		access := &rest.Config{Host: "http://" + listener.Addr().String(), BearerToken: server.AdminToken(), Transport: transport, QPS: -1}
		if fault != nil {
			access.Transport = fault(transport)
		}
		got, err = kubeapitest.Run(ctx, access, topics)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// controlled runs topics on the whole control plane.
func controlled(t *testing.T, topics []kubeapitest.Topic) (got kubeapitest.Answers) {
	t.Helper()
	err := bubble.Run(t.Context(), t, func(ctx context.Context) error {
		backend := simulated.New(simulated.Config{Seed: 1})
		access, err := backend.Start(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = backend.Stop(ctx) }()
		got, err = kubeapitest.Run(ctx, access, topics)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
